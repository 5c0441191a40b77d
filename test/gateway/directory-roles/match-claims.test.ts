import {
  findRoles,
  type RoleRow,
  readClaim,
} from '../../../src/gateway/directory-roles/match-claims.ts'

// What providers send, as their documents show it.

const KEYCLOAK = {
  sub: '3a7f0d7e-6c4b-4d67-9f0b-6d1f3f2a9b11',
  realm_access: { roles: ['offline_access', 'sms-agents'] },
  resource_access: { 'sms.example.com': { roles: ['sms-admins'] } },
  groups: ['/Support', '/Support/Berlin'],
}
const ENTRA = {
  oid: 'aaaaaaaa-0000-1111-2222-bbbbbbbbbbbb',
  groups: ['0760b6cf-170e-4a14-91b3-4b78e0739963', '3b2b0c93-acd8-4208-8eba-7a48db1cd4c0'],
  roles: ['Sms.Agent'],
}
const ENTRA_OVERAGE = {
  ...ENTRA,
  groups: undefined,
  _claim_names: { groups: 'src1' },
  _claim_sources: {
    src1: { endpoint: 'https://graph.microsoft.com/v1.0/users/x/getMemberObjects' },
  },
}
const OKTA = { sub: '00uixa271s6x7qt8I0h7', groups: ['Everyone', 'SMS Team'] }
const AUTHENTIK = { groups: ['authentik Admins', 'sms'], 'https://example.com/roles': ['agent'] }
const ZITADEL = { 'urn:zitadel:iam:org:project:roles': { agent: { '1': 'example.com' } } }
const GOOGLE = { sub: '110169484474386276334', hd: 'example.com', email_verified: true }

test.each([
  ['a role of a realm (Keycloak)', KEYCLOAK, 'realm_access.roles', 'sms-agents', true],
  [
    'a role of a client whose name has dots (Keycloak)',
    KEYCLOAK,
    'resource_access.sms.example.com.roles',
    'sms-admins',
    true,
  ],
  ['a group with its path (Keycloak)', KEYCLOAK, 'groups', '/Support', true],
  ['a part of a path (Keycloak)', KEYCLOAK, 'groups', 'Support', false],
  ['a group by its id (Entra ID)', ENTRA, 'groups', '3b2b0c93-acd8-4208-8eba-7a48db1cd4c0', true],
  ['a role of the app (Entra ID)', ENTRA, 'roles', 'Sms.Agent', true],
  ['other letters (Entra ID)', ENTRA, 'roles', 'sms.agent', false],
  ['a group with a space (Okta)', OKTA, 'groups', 'SMS Team', true],
  [
    'a claim named by an address (Auth0, authentik)',
    AUTHENTIK,
    'https://example.com/roles',
    'agent',
    true,
  ],
  ['a role that is a key (ZITADEL)', ZITADEL, 'urn:zitadel:iam:org:project:roles', 'agent', true],
  ['an organization (Google)', GOOGLE, 'hd', 'example.com', true],
  ['one text instead of a list', { groups: 'sms' }, 'groups', 'sms', true],
  ['a part of a text', { groups: 'sms other' }, 'groups', 'sms', false],
  ['a switch', { sms: true }, 'sms', 'true', true],
  ['a switch that is off', { sms: false }, 'sms', 'true', false],
  ['a number', { level: 3 }, 'level', '3', true],
  ['nothing', { groups: null }, 'groups', 'null', false],
  ['an object in a list', { groups: [{ name: 'sms' }] }, 'groups', 'name', false],
  ['what every object inherits', {}, 'constructor', 'name', false],
  ['what every list inherits', { groups: [] }, 'groups.length', '0', false],
] as const)('%s matches or not', (_, claims, claim, value, matches) => {
  const row: RoleRow = { user: 'shop', claim, value, role: 'agent' }
  expect(findRoles([row], claims).get('shop')).toBe(matches ? 'agent' : null)
})

const row = (claim: string, value: string, role: RoleRow['role']): RoleRow => ({
  user: 'shop',
  claim,
  value,
  role,
})

test('of several rows that apply, the role with the most rights counts, in each account alone', () => {
  const rows = [
    row('groups', 'Everyone', 'viewer'),
    row('groups', 'SMS Team', 'admin'),
    row('groups', 'Nobody', 'agent'),
    { ...row('groups', 'Everyone', 'agent'), user: 'other' },
    { ...row('groups', 'Nobody', 'agent'), user: 'third' },
  ]
  for (const given of [rows, rows.toReversed()])
    expect(Object.fromEntries(findRoles(given, OKTA))).toEqual({
      shop: 'admin',
      other: 'agent',
      third: null,
    })
})

test('a claim that Entra ID has left out gives and takes no role in accounts that need it', () => {
  const rows = [row('roles', 'Sms.Agent', 'agent'), row('groups', '0760b6cf', 'admin')]
  for (const given of [rows, rows.toReversed()]) {
    expect(findRoles(given, ENTRA_OVERAGE).get('shop')).toBeUndefined()
    expect(findRoles(given, { roles: ['Sms.Agent'], hasgroups: true }).get('shop')).toBeUndefined()
  }
  expect(findRoles([rows[0]!], ENTRA_OVERAGE).get('shop')).toBe('agent')
})

test('the longest name that exists leads on', () => {
  expect(readClaim({ a: { b: 1 }, 'a.b': 2 }, 'a.b')).toBe(2)
  expect(readClaim({ a: { 'b.c': 3 } }, 'a.b.c')).toBe(3)
  expect(readClaim({ a: [{ b: 1 }] }, 'a.0.b')).toBeUndefined()
})
