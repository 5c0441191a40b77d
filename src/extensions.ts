import { apiKeysExtension } from './auth/api-keys.ts'
import { SUPERUSERS_ID, superusersExtension } from './auth/superusers.ts'
import type { Extensions } from './records/extension.ts'
import { messagesExtension, usersExtension } from './sms/extensions.ts'

/** What the gateway adds to its built-in collections, by collection id. */
export const extensions: Extensions = new Map([
  ['api_keys', apiKeysExtension],
  ['_pb_users_auth_', usersExtension],
  ['sms_messages', messagesExtension],
  [SUPERUSERS_ID, superusersExtension],
])
