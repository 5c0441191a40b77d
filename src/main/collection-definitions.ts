import {
  type Definition,
  readBuiltInDefinitions,
} from '../engine/collections/definition/built-in-collections.ts'
import users from '../engine/collections/definition/users.json' with { type: 'json' }
import accounts from '../gateway/accounts/collections.json' with { type: 'json' }
import campaigns from '../gateway/campaigns/collections.json' with { type: 'json' }
import codes from '../gateway/codes/collections.json' with { type: 'json' }
import consent from '../gateway/consent/collections.json' with { type: 'json' }
import conversations from '../gateway/conversations/collections.json' with { type: 'json' }
import directoryRoles from '../gateway/directory-roles/collections.json' with { type: 'json' }
import hooks from '../gateway/hooks/collections.json' with { type: 'json' }
import labels from '../gateway/labels/collections.json' with { type: 'json' }
import lines from '../gateway/lines/collections.json' with { type: 'json' }
import messages from '../gateway/messages/collections.json' with { type: 'json' }
import people from '../gateway/people/collections.json' with { type: 'json' }
import webhooks from '../gateway/webhooks/collections.json' with { type: 'json' }

/** The collections of all features. */
const DEFINITIONS = [
  users,
  accounts,
  campaigns,
  codes,
  consent,
  conversations,
  directoryRoles,
  hooks,
  labels,
  lines,
  messages,
  people,
  webhooks,
].flat() as readonly Definition[]

/** The order in which an empty database gets its collections, and OpenAPI names them. Others follow. */
const COLLECTION_ORDER: readonly string[] = [
  'users',
  'senders',
  'devices',
  'lines',
  'labels',
  'contact_groups',
  'contacts',
  'contact_fields',
  'sms_templates',
  'sms_messages',
  'consents',
  'consent_states',
  'person_requests',
  'auto_answers',
  'user_settings',
  'conversations',
  'conversation_notes',
  'conversation_drafts',
  'inbox_views',
  'campaigns',
  'campaign_recipients',
  'api_keys',
  'webhooks',
  'sms_usage',
  'sms_events',
  'webhook_deliveries',
  'hooks',
  'hook_calls',
  'verify_services',
  'verifications',
  'members',
  'member_invitations',
  'directory_roles',
  'account_audit',
]

const findPlaceInOrder = ({ name }: Definition) => {
  const place = COLLECTION_ORDER.indexOf(name)
  return place < 0 ? COLLECTION_ORDER.length : place
}

/** All that opening a database needs of features: data only, so that commands load no routes. */
export const BUILT_IN = readBuiltInDefinitions(
  DEFINITIONS.toSorted((a, b) => findPlaceInOrder(a) - findPlaceInOrder(b)),
)
