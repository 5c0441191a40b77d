import {
  GROUP_ATTRIBUTES,
  type Resource,
  readResource,
  USER_ATTRIBUTES,
} from '../../../src/protocols/scim/attributes.ts'
import { parsePath, parseScimFilter } from '../../../src/protocols/scim/filter.ts'
import { patchResource } from '../../../src/protocols/scim/patch.ts'
import { findHighestRole, readRoleName } from '../../../src/protocols/scim/role-names.ts'

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const WORK = { value: 'ann@example.com', type: 'work', primary: true }
const ANN: Resource = {
  userName: 'ann@example.com',
  name: { givenName: 'Ann', familyName: 'Lee' },
  active: true,
  emails: [WORK],
}
const patch = (...Operations: object[]) => patchResource(USER_ATTRIBUTES, ANN, { Operations })

test.each<[who: string, operations: readonly object[], after: object]>([
  ['Entra ID', [{ op: 'Replace', path: 'active', value: 'False' }], { active: false }],
  ['Entra ID with its flag', [{ op: 'replace', path: 'active', value: false }], { active: false }],
  ['Okta', [{ op: 'replace', value: { active: false } }], { active: false }],
  [
    'Entra ID',
    [
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'lee@example.com' },
      { op: 'Replace', path: 'name.familyName', value: 'Poe' },
      { op: 'Add', path: 'displayName', value: 'Ann Poe' },
      { op: 'Replace', path: `${ENTERPRISE}:employeeNumber`, value: '7' },
      { op: 'Add', path: 'nickName', value: 'Babs' },
    ],
    {
      emails: [{ ...WORK, value: 'lee@example.com' }],
      name: { givenName: 'Ann', familyName: 'Poe' },
      displayName: 'Ann Poe',
    },
  ],
  [
    'Entra ID with its flag',
    [
      {
        op: 'replace',
        value: {
          displayName: 'Bjfe',
          'name.givenName': 'Kkom',
          [`${ENTERPRISE}:employeeNumber`]: 'Aklq',
        },
      },
    ],
    { displayName: 'Bjfe', name: { givenName: 'Kkom', familyName: 'Lee' } },
  ],
  [
    'Entra ID, of an address that is new',
    [{ op: 'Add', path: 'emails[type eq "other"].value', value: 'ann@home.example' }],
    { emails: [WORK, { type: 'other', value: 'ann@home.example' }] },
  ],
  [
    'Entra ID, of its only role',
    [{ op: 'Add', path: 'roles[primary eq "True"].value', value: 'agent' }],
    { roles: [{ primary: true, value: 'agent' }] },
  ],
  [
    'a directory that names the schema',
    [{ op: 'remove', path: 'urn:ietf:params:scim:schemas:core:2.0:User:name.familyName' }],
    { name: { givenName: 'Ann' } },
  ],
  ['any', [{ op: 'remove', path: 'emails[type eq "work"]' }], { emails: [] }],
  ['any', [{ op: 'remove', path: 'emails[type eq "home"]' }], {}],
  [
    'any',
    [{ op: 'replace', path: 'name', value: { formatted: 'A' } }],
    { name: { ...(ANN.name as object), formatted: 'A' } },
  ],
])('a change of a user as %s sends it is applied', (_, operations, after) => {
  expect(patch(...operations)).toEqual({ ...ANN, ...after })
})

const member = (value: string) => ({ value })
const GROUP: Resource = { displayName: 'Agents', members: ['a', 'b', 'c'].map(member) }

test.each<[who: string, operations: readonly object[], members: string]>([
  ['Entra ID', [{ op: 'Add', path: 'members', value: [{ $ref: null, value: 'd' }] }], 'abcd'],
  ['Entra ID', [{ op: 'Remove', path: 'members', value: [{ value: 'b' }] }], 'ac'],
  ['Entra ID with its flag', [{ op: 'remove', path: 'members[value eq "a"]' }], 'bc'],
  [
    'Okta',
    [
      { op: 'remove', path: 'members[value eq "a"]' },
      { op: 'add', path: 'members', value: [{ value: 'd', display: 'ann@example.com' }] },
    ],
    'bcd',
  ],
  ['Okta', [{ op: 'replace', path: 'members', value: [{ value: 'd' }] }], 'd'],
  [
    'authentik',
    [
      { op: 'add', path: 'members', value: [{ value: 'd' }] },
      { op: 'add', path: 'members', value: [{ value: 'd' }] },
      { op: 'remove', path: 'members', value: [{ value: 'z' }] },
    ],
    'abcd',
  ],
  ['any', [{ op: 'remove', path: 'members' }], ''],
  ['any', [{ op: 'add', value: { members: [{ value: 'd' }] } }], 'abcd'],
])('a change of members as %s sends it is applied', (_, Operations, members) => {
  const after = patchResource(GROUP_ATTRIBUTES, GROUP, { Operations })
  expect((after.members as { value: string }[]).map(({ value }) => value).join('')).toBe(members)
})

test('a name of a group as Okta and authentik send it is applied, with their ids and schemas ignored', () => {
  const value = {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
    id: 'x',
    displayName: 'Viewers',
    externalId: '7',
  }
  const Operations = [{ op: 'replace', value }]
  const after = { ...GROUP, displayName: 'Viewers', externalId: '7' }
  expect(patchResource(GROUP_ATTRIBUTES, GROUP, { Operations })).toEqual(after)
})

test.each<[problem: string, body: unknown]>([
  ['no operations', {}],
  ['no list', { Operations: {} }],
  ['an empty list', { Operations: [] }],
  ['a text', { Operations: ['add'] }],
  ['another operation', { Operations: [{ op: 'move', path: 'active', value: true }] }],
  ['a remove without a path', { Operations: [{ op: 'remove', value: { active: true } }] }],
  ['a value that is no object', { Operations: [{ op: 'add', value: 'x' }] }],
  ['a path with three parts', { Operations: [{ op: 'add', path: 'a.b.c', value: 'x' }] }],
  [
    'a path without its end',
    { Operations: [{ op: 'add', path: 'emails[type eq "a"', value: 'x' }] },
  ],
  ['a wrong boolean', { Operations: [{ op: 'add', path: 'active', value: 'maybe' }] }],
  ['a long text', { Operations: [{ op: 'add', path: 'userName', value: 'x'.repeat(256) }] }],
  ['an object for a text', { Operations: [{ op: 'add', path: 'userName', value: {} }] }],
  [
    'many addresses',
    { Operations: [{ op: 'add', path: 'emails', value: Array(11).fill({ value: 'a@b.cd' }) }] },
  ],
  [
    'many operations',
    { Operations: Array(2_001).fill({ op: 'add', path: 'active', value: true }) },
  ],
])('a PATCH with %s is refused', (_, body) => {
  expect(() => patchResource(USER_ATTRIBUTES, ANN, body)).toThrow(
    expect.objectContaining({ status: 400 }),
  )
})

test.each([
  ['userName eq "ann@example.com"', [['username', 'ann@example.com']]],
  ['UserName EQ "A \\"b\\" and c"', [['username', 'A "b" and c']]],
  [
    'emails[type eq "work"].value eq "a@b.cd"',
    [
      ['emails.type', 'work'],
      ['emails.value', 'a@b.cd'],
    ],
  ],
  [
    'emails[type eq "]" and value eq "x"]',
    [
      ['emails.type', ']'],
      ['emails.value', 'x'],
    ],
  ],
  [
    'id eq "1" and active eq True',
    [
      ['id', '1'],
      ['active', true],
    ],
  ],
  ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "a"', [['username', 'a']]],
])('the filter %s is read', (text, comparisons) => {
  expect(parseScimFilter(text).map(({ name, value }) => [name, value])).toEqual(comparisons)
})

test.each([
  ['', 'userName', 'userName eq', 'userName eq x', 'userName sw "a"', 'not (userName pr)'],
  ['userName eq "a" or', 'userName eq "a" or id eq "b"', 'userName eq "a" and', '(id eq "a")'],
  ['userName eq "a', 'userName eq "\\x"', 'emails[', 'emails[]', `id eq "${'x'.repeat(1_000)}"`],
])('filters beyond eq and and, such as %j, are refused', (...filters) => {
  for (const filter of filters)
    expect(() => parseScimFilter(filter), filter).toThrow(expect.objectContaining({ status: 400 }))
})

test('names of attributes count in any case of letters, and unknown attributes are left out', () => {
  const body = { USERNAME: 'ann', Password: 'secret', title: 'x', EMAILS: 'a@b.cd', active: 'TRUE' }
  const read = { userName: 'ann', emails: [{ value: 'a@b.cd' }], active: true }
  expect(readResource(USER_ATTRIBUTES, body)).toEqual(read)
  expect(readResource(USER_ATTRIBUTES, JSON.parse('{"__proto__":{"active":true}}'))).toEqual({})
})

test.each([
  ['agent', 'agent'],
  ['Viewers', 'viewer'],
  ['SMS Agents', 'agent'],
  ['acme_pocketsms-admin', 'admin'],
  ['Domain Admins', undefined],
  ['admin of nothing', undefined],
  ['constructor', undefined],
  ['', undefined],
])('a group named %s gives the role %s', (name, role) => {
  expect(readRoleName(name)).toBe(role)
})

test('of several roles the highest counts', () => {
  expect(findHighestRole(['viewer', 'Sales', 'agents'])).toBe('agent')
  expect(findHighestRole(['Sales'])).toBeUndefined()
})

test('a path of another schema is read as its name alone', () => {
  expect(parsePath(`${ENTERPRISE}:manager.value[x eq "y"].z`).where).toEqual([])
})
