import { SET_BY_SERVER as SET_BY_KEYS } from '../../auth/tokens/api-keys.ts'
import type { Collection, Rule } from '../../collections/collection.ts'
import type { Field } from '../../fields/field.ts'
import { SET_BY_SERVER as SET_BY_CONVERSATIONS } from '../../sms/conversations/extension.ts'
import { SET_BY_SERVER as SET_BY_DEVICES } from '../../smsgate/phone.ts'
import { SET_BY_SERVER as SET_BY_WEBHOOKS } from '../../webhooks/extensions.ts'
import texts from './texts.json' with { type: 'json' }

const TEXTS: Readonly<Record<string, Readonly<Record<string, string>>>> = texts

/** What a collection of ours holds; undefined for one of somebody else's. */
export const describeCollection = ({ name }: Collection): string | undefined => TEXTS[name]?.['']

/** A sentence on a field: its own help text if it has one, then ours. */
export function describeField(collection: Collection, field: Field): string | undefined {
  const text = field.help || TEXTS[collection.name]?.[field.name] || TEXTS['*']![field.name]
  return field.hidden ? [text, 'Only superusers see it.'].filter(Boolean).join(' ') : text
}

/** Who may, by a rule of a collection. */
export function describeRule(rule: Rule): string {
  if (rule === null) return 'Only superusers may.'
  return rule === '' ? 'Everyone may.' : `Superusers may, and whoever satisfies the rule \`${rule}\`.`
}

/** Fields that the server sets whatever a client says, by collection id. */
const SET_BY_SERVER: Readonly<Record<string, readonly string[]>> = {
  api_keys: SET_BY_KEYS,
  conversations: SET_BY_CONVERSATIONS,
  devices: SET_BY_DEVICES,
  webhooks: SET_BY_WEBHOOKS,
}

/** Whether a field is one of those. */
export const isSetByServer = ({ id }: Collection, { name }: Field) =>
  SET_BY_SERVER[id]?.includes(name) ?? false
