# Reads cases (text, zone, from and to in UTC, separated by tabs) and writes what fugit makes due, one line each.
require 'fugit'

STDIN.each_line do |line|
  text, zone, from, to = line.chomp.split("\t")
  begin
    # A name like @daily takes no zone behind it; those are asked about in UTC alone.
    cron = Fugit::Cron.parse(text.start_with?('@') ? text : "#{text} #{zone}")
  rescue StandardError # fugit lets a step of zero through to a division
    cron = nil
  end
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
