import { type Attributes, GROUP_ATTRIBUTES, USER_ATTRIBUTES } from './attributes.ts'
import { renderList } from './page.ts'
import { unknownResource } from './scim-errors.ts'

// What the server tells directories of itself: RFC 7643, sections 5 to 7.

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const OF = 'urn:ietf:params:scim:schemas:core:2.0:'
const MAX_RESULTS = 100

interface Dated {
  readonly created: string
  readonly updated: string
}

/** PocketBase's time as an instant of RFC 3339. */
const toInstant = (time: string) => time.replace(' ', 'T')

export const makeMeta = (resourceType: string, { created, updated }: Dated, location: string) => ({
  resourceType,
  created: toInstant(created),
  lastModified: toInstant(updated),
  location,
})

const about = (resourceType: string, base: string, path: string) => ({
  meta: { resourceType, location: `${base}/${path}` },
})

export const makeProviderConfig = (base: string) => ({
  schemas: [`${OF}ServiceProviderConfig`],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MAX_RESULTS },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'API key',
      description: 'An API key of the account with the scope members:manage, as bearer token.',
      specUri: 'https://www.rfc-editor.org/info/rfc6750',
      primary: true,
    },
  ],
  ...about('ServiceProviderConfig', base, 'ServiceProviderConfig'),
})

const makeResourceTypes = (base: string) =>
  (
    [
      ['User', 'Users', USER_SCHEMA],
      ['Group', 'Groups', GROUP_SCHEMA],
    ] as const
  ).map(([name, path, schema]) => ({
    schemas: [`${OF}ResourceType`],
    id: name,
    name,
    endpoint: `/${path}`,
    schema,
    schemaExtensions: [],
    ...about('ResourceType', base, `ResourceTypes/${name}`),
  }))

const describeAttribute = (name: string, type: string, more: object = {}) => ({
  name,
  type,
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...more,
})

const nameType = (part: 'text' | 'boolean') => (part === 'text' ? 'string' : part)

const REF = describeAttribute('$ref', 'reference', {
  referenceTypes: ['User'],
  mutability: 'immutable',
})
/** Lists whose items are nothing without their value. */
const BY_VALUE: ReadonlySet<string> = new Set(['emails', 'members', 'roles'])

/** `unique`: the name of the resource. */
const describeAll = (attributes: Attributes, unique: string) =>
  Object.entries(attributes).map(([name, attribute]) => {
    if (typeof attribute === 'string')
      return describeAttribute(name, nameType(attribute), {
        ...(name === unique && { required: true, uniqueness: 'server' }),
      })
    const subAttributes = Object.entries(attribute.parts).map(([part, type]) =>
      describeAttribute(part, nameType(type), {
        required: part === 'value' && BY_VALUE.has(name),
        ...(name === 'members' && { mutability: 'immutable' }),
      }),
    )
    return describeAttribute(name, 'complex', {
      multiValued: attribute.max !== undefined,
      // invitations go there
      required: name === 'emails',
      subAttributes: name === 'members' ? [...subAttributes, REF] : subAttributes,
    })
  })

const READ_ONLY_GROUPS = describeAttribute('groups', 'complex', {
  multiValued: true,
  mutability: 'readOnly',
  subAttributes: ['value', 'display'].map((part) =>
    describeAttribute(part, 'string', { mutability: 'readOnly' }),
  ),
})

/** The attributes that this server keeps; `externalId` is common to all resources. */
const makeSchemas = (base: string) => {
  const without = ({ externalId: _, ...others }: Attributes): Attributes => others
  const users = [...describeAll(without(USER_ATTRIBUTES), 'userName'), READ_ONLY_GROUPS]
  const groups = describeAll(without(GROUP_ATTRIBUTES), 'displayName')
  return (
    [
      [USER_SCHEMA, 'User', users],
      [GROUP_SCHEMA, 'Group', groups],
    ] as const
  ).map(([id, name, attributes]) => ({
    schemas: [`${OF}Schema`],
    id,
    name,
    attributes,
    ...about('Schema', base, `Schemas/${id}`),
  }))
}

const LISTS = { ResourceTypes: makeResourceTypes, Schemas: makeSchemas }

/** `GET /Schemas` and `GET /ResourceTypes`. */
export const listAbout = (kind: keyof typeof LISTS, base: string) => {
  const all = LISTS[kind](base)
  return renderList(all.length, { startIndex: 1, count: all.length }, all)
}

/** One of them. Throws 404. */
export function readAbout(kind: keyof typeof LISTS, base: string, id: string): object {
  const found = LISTS[kind](base).find((one) => one.id === id)
  if (!found) throw unknownResource(kind, id)
  return found
}
