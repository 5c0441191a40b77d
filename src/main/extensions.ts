import { SUPERUSERS_ID, superusersExtension } from '../engine/auth/superusers.ts'
import { USERS_ID } from '../engine/collections/catalog.ts'
import type { Extension, Extensions } from '../engine/records/collection-extension.ts'
import { USER_SETTINGS_ID } from '../engine/records/disabled-user.ts'
import { invitationsExtension } from '../gateway/accounts/invitations.ts'
import { membersExtension } from '../gateway/accounts/members.ts'
import { userSettingsExtension } from '../gateway/accounts/user-settings.ts'
import { usersExtension } from '../gateway/accounts/users.ts'
import { completeList } from '../gateway/base/complete-numbers.ts'
import { forgetCarriers } from '../gateway/carriers/stored-carrier.ts'
import { verifyServicesExtension } from '../gateway/codes/services-extension.ts'
import { verificationsExtension } from '../gateway/codes/verification.ts'
import { consentStatesExtension, consentsExtension } from '../gateway/consent/consents-extension.ts'
import { autoAnswersExtension } from '../gateway/conversations/auto-answers-extension.ts'
import {
  conversationsExtension,
  draftsExtension,
  notesExtension,
} from '../gateway/conversations/conversation-extensions.ts'
import { hooksExtension } from '../gateway/hooks/hooks-extension.ts'
import { devicesExtension, linesExtension } from '../gateway/lines/device-extensions.ts'
import {
  campaignsExtension,
  eventsExtension,
  messagesExtension,
  templatesExtension,
} from '../gateway/messages/message-extensions.ts'
import { contactsExtension } from '../gateway/people/contacts-extension.ts'
import type { WebhookSettings } from '../gateway/webhooks/delivery-worker.ts'
import {
  DELIVERIES,
  deliveriesExtension,
  type FitWebhook,
  WEBHOOKS,
  webhooksExtension,
} from '../gateway/webhooks/webhook-extensions.ts'
import { readSenderFilter } from '../portable/phone/number-patterns.ts'
import { forgetPhones } from '../protocols/smsgate/stored-phone.ts'
import { fitSmsgate } from '../protocols/smsgate-api/webhooks.ts'
import { twilioKeysExtension } from '../protocols/twilio/api-keys.ts'
import { fitTwilio } from '../protocols/twilio/check-webhook.ts'

/** Completes the senders' numbers that a webhook's filter names. */
const completeFilter: FitWebhook = (store, values) => completeList(store, values, 'numbers', readSenderFilter)

/** Deletes what belongs to deleted devices. */
const forgetDevices: NonNullable<Extension['afterDelete']> = async (store, ids) => {
  await forgetPhones(store, ids)
  await forgetCarriers(store, ids)
}

const strict = (extension: Extension = {}): Extension => ({ ...extension, readsStrictly: true })

/**
 * Code that the gateway adds to its collections, by collection id. `strict`: writes refuse unreadable values.
 * Otherwise these would be stored as empty, which may mean "never expires" or "unlimited".
 */
export const extensionsOf = (settings: WebhookSettings): Extensions =>
  new Map([
    ['api_keys', strict(twilioKeysExtension)],
    [USERS_ID, strict(usersExtension)],
    [USER_SETTINGS_ID, strict(userSettingsExtension)],
    ['devices', strict({ ...devicesExtension, afterDelete: forgetDevices })],
    ['lines', strict(linesExtension)],
    ['contacts', contactsExtension],
    ['contact_groups', strict()],
    ['consents', consentsExtension],
    ['consent_states', consentStatesExtension],
    ['person_requests', strict()],
    ['sms_templates', templatesExtension],
    ['sms_messages', strict(messagesExtension)],
    ['sms_events', strict(eventsExtension)],
    ['conversations', strict(conversationsExtension)],
    ['conversation_notes', strict(notesExtension)],
    ['conversation_drafts', strict(draftsExtension)],
    ['campaigns', campaignsExtension],
    ['auto_answers', strict(autoAnswersExtension)],
    ['hooks', strict(hooksExtension)],
    ['hook_calls', strict()],
    ['verify_services', strict(verifyServicesExtension)],
    ['verifications', strict(verificationsExtension)],
    ['senders', strict({ keepsReferences: true })],
    ['members', strict(membersExtension)],
    ['member_invitations', strict(invitationsExtension)],
    ['account_audit', strict()],
    [SUPERUSERS_ID, superusersExtension],
    [WEBHOOKS, strict(webhooksExtension(settings, [fitSmsgate, fitTwilio, completeFilter]))],
    [DELIVERIES, strict(deliveriesExtension)],
  ])
