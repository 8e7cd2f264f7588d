# Reads cases (text, zone, from and to in UTC, separated by tabs) and writes what fugit makes due, one line each.
require 'fugit'

STDIN.each_line do |line|
  text, zone, from, to = line.chomp.split("\t")
  cron = Fugit::Cron.parse("#{text} #{zone}")
  if cron.nil?
    puts 'refused'
    next
  end
  last = EtOrbi.parse(to)
  time = cron.next_time(EtOrbi.parse(from) - 1)
  found = []
  while time < last
    found << time.utc.strftime('%FT%TZ')
    time = cron.next_time(time + 1)
  end
  puts found.join(' ')
end
