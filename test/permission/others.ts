import type { Who } from './who.ts'

// Routes that let no text leave. The first row that matches says who is shown texts of messages or data of
// contacts. A route that no row matches fails the matrix: decide what it shows.

export const OTHERS: readonly (readonly [RegExp, Who])[] = [
  // lists of records: the rules of the collections. Devices see their own messages
  [/^GET \/api\/collections\/:collection\/(records|export)/, 'viewerOrDevice'],
  [/^(POST|PATCH|DELETE) \/api\/collections\/:collection\/records/, 'nobody'],
  [/^POST \/api\/batch$/, 'nobody'],
  // sign-in, and what belongs to the person who asks
  [/^(GET|POST) \/api\/collections\/:collection\/(auth-|request-|confirm-|impersonate)/, 'nobody'],
  [/^\w+ \/api\/account\//, 'nobody'],
  [/^\w+ \/api\/oauth2-redirect$/, 'nobody'],
  [/^\w+ \/api\/(realtime|health|ready|setup|openapi\.json|files\/token|files\/:collection)/, 'nobody'],
  // superusers alone
  [/^\w+ \/api\/collections(\/|$)/, 'nobody'],
  [/^\w+ \/api\/(audit|backups?|backup-status|crons|jobs|logs|settings|sql|users|warnings)(\/|$)/, 'nobody'],
  [/^GET \/metrics$/, 'nobody'],
  // devices, which claim what was given to them
  [/^\w+ \/api\/(devices|mobile\/v1)\//, 'nobody'],
  [/^\w+ \/api\/webhooks\//, 'nobody'],
  [/^GET \/api\/hooks/, 'nobody'],
  // other products
  [/^\w+ \/api\/3rdparty\/v1\/(auth|devices|health|inbox|logs|messages\/inbox|settings|webhooks)/, 'nobody'],
  [/^\w+ \/2010-04-01\/Accounts(\.json|\/:AccountSid)/, 'nobody'],
  [/^\w+ \/v2\/Services/, 'nobody'],
  // pages; the rows of their forms are in rows.ts
  [/^(GET \/join|\w+ \/leave)\//, 'nobody'],
  [/^GET \/(_|assets|docs|icon-|manifest|sw\.js|agent\.tgz|$)/, 'nobody'],
]
