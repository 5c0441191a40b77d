import { findServiceName } from '../../src/portable/webhook-presets.ts'

test.each([
  ['https://hooks.slack.com/workflows/T1/A1/1/x', 'Slack'],
  ['https://discord.com/api/webhooks/1/x', 'Discord'],
  [' https://api.telegram.org/bot1:x/sendMessage', 'Telegram'],
  ['https://ntfy.sh/alarms', 'ntfy'],
  ['https://api.telegram.org.example.net/x', undefined],
  ['https://shop.example.com/hooks/sms', undefined],
  ['mailto:ann@example.com', undefined],
])('the address %s belongs to %s', (url, service) => {
  expect(findServiceName(url)).toBe(service)
})
