import { findRequestGroup } from '../../../src/http/metrics/group-requests.ts'
import { readRoutedPath } from '../../../src/http/server/clean-paths.ts'
import { APIS } from '../../../src/main/features.ts'

test.each([
  ['a list', 'GET', '/api/collections/sms_messages/records?filter=to="x"', 'records'],
  ['a record', 'PATCH', '/api/collections/users/records/k3v9x0c2m5n8b1a', 'records'],
  ['a sign-in', 'POST', '/api/collections/users/auth-with-password', 'auth'],
  ['a mail about an account', 'POST', '/api/collections/users/request-otp', 'auth'],
  ['its confirmation', 'POST', '/api/collections/users/confirm-verification', 'auth'],
  ['collections', 'GET', '/api/collections', 'collections'],
  ['a collection', 'PATCH', '/api/collections/contacts', 'collections'],
  ['an import of collections', 'PUT', '/api/collections/import', 'collections'],
  ['scaffolds', 'GET', '/api/collections/meta/scaffolds', 'collections'],
  ['an export of records', 'GET', '/api/collections/contacts/export?filter=', 'export'],
  ['a way back from a provider', 'GET', '/api/oauth2-redirect?code=x', 'auth'],
  ['the audit log', 'GET', '/api/audit', 'admin'],
  ['a send', 'POST', '/api/sms/send', 'send'],
  ['a send of a template', 'POST', '/api/sms/send-template?x=1', 'send'],
  ['the rest of the send API', 'GET', '/api/sms/batches/k3v9x0c2m5n8b1a', 'sms'],
  ['a claim, which may wait', 'POST', '/api/devices/claim', 'claim'],
  ['the rest of the device API', 'POST', '/api/devices/report', 'devices'],
  ['an event stream of a client', 'GET', '/api/realtime', 'streams'],
  ['its subscriptions', 'POST', '/api/realtime', 'realtime'],
  ['an event stream of a device', 'GET', '/api/devices/events?', 'streams'],
  ['a request of the SMSGate app', 'GET', '/api/mobile/v1/events', 'streams'],
  ['the rest of its API', 'GET', '/api/mobile/v1/message', 'mobile'],
  ['a send of a program for SMSGate', 'POST', '/3rdparty/v1/message?x', 'send'],
  ['an assistant', 'POST', '/mcp', 'mcp'],
  ["Twilio's API", 'GET', '/2010-04-01/Accounts.json?x', 'twilio'],
  ['an unknown API route', 'GET', '/api/k3v9x0c2m5n8b1a/whatever', 'other'],
  ['a path named like a member of every object', 'GET', '/api/constructor', 'other'],
  ['a path outside the API', 'GET', '/_/k3v9x0c2m5n8b1a', 'pages'],
  ['metrics', 'GET', '/metrics?x', 'metrics'],
] as const)('%s: %s %s is counted as "%s"', (_, method, url, group) => {
  expect(findRequestGroup(method, readRoutedPath(APIS, url), APIS)).toBe(group)
})
