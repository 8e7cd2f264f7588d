// Reads cases (text, zone, from and to in UTC, separated by tabs) and writes what robfig/cron makes due, one line each.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/robfig/cron"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		part := strings.Split(lines.Text(), "\t")
		schedule, err := cron.ParseStandard("TZ=" + part[1] + " " + part[0])
		if err != nil {
			fmt.Printf("refused: %s\n", err)
			continue
		}
		from, _ := time.Parse(time.RFC3339, part[2])
		to, _ := time.Parse(time.RFC3339, part[3])
		found := []string{}
		for t := schedule.Next(from.Add(-time.Second)); !t.IsZero() && t.Before(to); t = schedule.Next(t) {
			found = append(found, t.UTC().Format(time.RFC3339))
		}
		fmt.Println(strings.Join(found, " "))
	}
}
