import { invitationsExtension } from '../auth/invitations.ts'
import { membersExtension } from '../auth/members.ts'
import { SUPERUSERS_ID, superusersExtension } from '../auth/superusers.ts'
import { USERS_ID } from '../collections/catalog.ts'
import { hooksExtension } from '../hooks/hooks-extension.ts'
import { readSenderFilter } from '../portable/phone/number-patterns.ts'
import { forgetPhones } from '../protocols/smsgate/stored-phone.ts'
import { fitSmsgate } from '../protocols/smsgate-api/webhooks.ts'
import { twilioKeysExtension } from '../protocols/twilio/api-keys.ts'
import { fitTwilio } from '../protocols/twilio/check-webhook.ts'
import type { Extension, Extensions } from '../records/collection-extension.ts'
import { USER_SETTINGS_ID } from '../records/disabled-user.ts'
import { autoAnswersExtension } from '../sms/auto-answers-extension.ts'
import { completeList } from '../sms/complete-numbers.ts'
import { consentStatesExtension, consentsExtension } from '../sms/consents-extension.ts'
import { contactsExtension } from '../sms/contacts-extension.ts'
import { conversationsExtension, draftsExtension, notesExtension } from '../sms/conversation-extensions.ts'
import { devicesExtension, linesExtension } from '../sms/device-extensions.ts'
import {
  campaignsExtension,
  eventsExtension,
  messagesExtension,
  templatesExtension,
} from '../sms/message-extensions.ts'
import { userSettingsExtension } from '../sms/user-settings.ts'
import { usersExtension } from '../sms/users.ts'
import { verifyServicesExtension } from '../verify/services-extension.ts'
import { verificationsExtension } from '../verify/verification.ts'
import type { WebhookSettings } from '../webhooks/delivery-worker.ts'
import {
  DELIVERIES,
  deliveriesExtension,
  type FitWebhook,
  WEBHOOKS,
  webhooksExtension,
} from '../webhooks/webhook-extensions.ts'
import { forgetCarriers } from './carriers/stored-carrier.ts'

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
