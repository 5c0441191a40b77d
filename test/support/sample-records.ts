import { type Collection, USERS_ID } from '../../src/engine/collections/collection.ts'
import { BUILT_IN } from '../../src/main/collection-definitions.ts'

/** Ids of records by collection. */
export type Ids = Readonly<Record<string, string>>

/**
 * A record of each collection in which accounts create records, in the order of their creation. `word`: a
 * part of their texts. `made`: the records before it.
 */
export const SAMPLES: Readonly<Record<string, (word: string, made: Ids) => object>> = {
  user_settings: () => ({ country: 'DE' }),
  labels: (word) => ({ name: `${word} label`, color: 'red' }),
  contact_groups: (word) => ({ name: `${word} friends` }),
  contact_fields: (word) => ({ name: `${word} size`, type: 'choice', choices: ['S', 'M'] }),
  contacts: (word, made) => ({
    name: `${word} Cy`,
    phone: '+491700000001',
    groups: [made.contact_groups],
  }),
  consents: () => ({ number: '+491700000001', event: 'opt_in', source: 'page' }),
  sms_templates: (word) => ({ name: `${word} greeting`, body: `${word} {{name}}` }),
  auto_answers: (word) => ({ match: 'any', body: `${word} answer`, enabled: true }),
  conversations: () => ({ number: '+491700000001' }),
  conversation_notes: (word, made) => ({ conversation: made.conversations, text: `${word} note` }),
  conversation_drafts: (word, made) => ({
    conversation: made.conversations,
    text: `${word} draft`,
  }),
  inbox_views: (word) => ({ name: `${word} view`, assignee: 'me' }),
  webhooks: (word) => ({
    url: `https://${word}.example.com`,
    events: ['message.sent'],
    enabled: true,
  }),
  hooks: (word) => ({ name: `${word} alarm`, preset: 'text', recipients: ['+491700000001'] }),
  verify_services: (word) => ({ name: `${word} codes` }),
  api_keys: (word) => ({ name: `${word} key` }),
}

/** Makes the samples by `create`, which returns the id of the new record. `but`: not of these collections. */
export async function makeSamples(
  word: string,
  create: (collection: string, values: object) => Promise<string>,
  made: Ids = {},
  but: readonly string[] = [],
): Promise<Ids> {
  let ids = made
  for (const [collection, sample] of Object.entries(SAMPLES))
    if (!but.includes(collection))
      ids = { ...ids, [collection]: await create(collection, sample(word, ids)) }
  return ids
}

/** The built-in collections whose records belong to an account, by name. */
export const OWNED: ReadonlyMap<string, Collection> = new Map(
  [...BUILT_IN.needed.values()]
    .filter(({ id, fields }) => id === USERS_ID || fields.some(({ name }) => name === 'user'))
    .map((collection) => [collection.name, collection]),
)
