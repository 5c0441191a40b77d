import { apiKeysExtension } from './auth/api-keys.ts'
import { SUPERUSERS_ID, superusersExtension } from './auth/superusers.ts'
import { USERS_ID } from './collections/collection.ts'
import type { Extensions } from './records/extension.ts'
import { messagesExtension, usersExtension } from './sms/extensions.ts'
import { devicesExtension } from './smsgate/phone.ts'
import type { WebhookSettings } from './webhooks/courier.ts'
import { DELIVERIES, deliveriesExtension, WEBHOOKS, webhooksExtension } from './webhooks/extensions.ts'

/** What the gateway adds to its built-in collections, by collection id. */
export const extensionsOf = (settings: WebhookSettings): Extensions =>
  new Map([
    ['api_keys', apiKeysExtension],
    [USERS_ID, usersExtension],
    ['devices', devicesExtension],
    ['sms_messages', messagesExtension],
    [SUPERUSERS_ID, superusersExtension],
    [WEBHOOKS, webhooksExtension(settings)],
    [DELIVERIES, deliveriesExtension],
  ])
