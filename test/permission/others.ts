import type { Who } from './who.ts'

// Routes that let no text leave, and that are in no row of a feature or list records. The first line that
// matches says who is shown texts of messages or data of contacts. A route that has neither a promise nor a
// line fails the matrix: decide what it shows.

export const OTHERS: readonly (readonly [RegExp, Who])[] = [
  // lists of records: the rules of the collections. Devices see their own messages
  [/^GET \/api\/collections\/:collection\/(records|export)/, 'viewerOrDevice'],
  // scheduled texts, by their sends
  [/^GET \/api\/sms\/scheduled$/, 'viewer'],
  [/^GET \/(metrics|api\/openapi\.json)$/, 'nobody'],
  // other products
  [/^\w+ \/api\/account\/smsgate-key$/, 'nobody'],
  [/^\w+ \/api\/mobile\/v1\//, 'nobody'],
  [
    /^\w+ \/api\/3rdparty\/v1($|\/(auth|devices|health|inbox|logs|messages\/inbox|settings|webhooks))/,
    'nobody',
  ],
  [/^\w+ \/2010-04-01\/Accounts(\.json|\/:AccountSid)/, 'nobody'],
  [/^\w+ \/v2\/Services/, 'nobody'],
  // pages
  [/^GET \/(_|assets|docs|icon-|screenshot-|manifest|sw\.js|agent\.tgz|$)/, 'nobody'],
]
