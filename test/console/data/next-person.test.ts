// What a browser keeps of a person's work is that person's: a colleague in the same tab does not see it.

class Items {
  readonly all = new Map<string, string>()
  getItem = (key: string) => this.all.get(key) ?? null
  setItem(key: string, value: string) {
    this.all.set(key, value)
    Object.assign(this, { [key]: value })
  }
  removeItem(key: string) {
    this.all.delete(key)
    delete (this as unknown as Record<string, unknown>)[key]
  }
}

const [tab, browser] = [new Items(), new Items()]
vi.stubGlobal('location', new URL('http://127.0.0.1/_/'))
vi.stubGlobal('addEventListener', () => {})
vi.stubGlobal('document', { addEventListener: () => {}, visibilityState: 'visible' })
vi.stubGlobal('sessionStorage', tab)
vi.stubGlobal('localStorage', browser)
const deleted: string[] = []
vi.stubGlobal('caches', { delete: (name: string) => deleted.push(name) })
vi.stubGlobal('history', { replaceState: () => {} })
afterAll(() => void vi.unstubAllGlobals())
const FOLDER = '../../../console/src/data'
const { pb } = await import(`${FOLDER}/client.ts`)
const { namePerson } = await import(`${FOLDER}/session.ts`)
const { rememberForPerson } = await import(`${FOLDER}/remember-for-person.ts`)
const { forgetDraftsOfAccounts, hasDraft } = await import(`${FOLDER}/use/use-draft.ts`)

const { watchNextPerson } = await import(`${FOLDER}/next-person.ts`)

const ACCOUNT = 'account00000001'
const tokenOf = (claims: object) =>
  `h.${Buffer.from(JSON.stringify({ ...claims, exp: Date.now() / 1_000 + 3_600 })).toString('base64url')}.s`
/** Signs in a member who acts for the account. */
const actAs = (actor: string) =>
  pb.authStore.save(tokenOf({ actor, role: 'agent' }), { id: ACCOUNT, collectionName: 'users' })

test('a member does not get the choices of the member before in the same browser', () => {
  browser.setItem('pocketsms.filters', '["of somebody"]')
  const filters = rememberForPerson('filters', [] as readonly string[])
  expect(browser.getItem('pocketsms.filters')).toBeNull()
  actAs('member000000001')
  filters.value = ['+4915112345678']
  actAs('member000000002')
  expect(filters.value).toEqual([])
  actAs('member000000001')
  expect(filters.value).toEqual(['+4915112345678'])
})

test('a draft of one member is not found by the next in the same tab', () => {
  actAs('member000000001')
  const stored = JSON.stringify({ of: '', value: 'My words' })
  tab.setItem(`pocketsms.draft.${namePerson()}.answer.+4915112345678`, stored)
  expect(hasDraft('answer.+4915112345678', '')).toBe(true)
  actAs('member000000002')
  expect(hasDraft('answer.+4915112345678', '')).toBe(false)
})

test('drafts that name the account alone are removed, and drafts of a person stay', () => {
  const [former, own] = [`${ACCOUNT}.answer.+49`, `${ACCOUNT}.member000000001.answer.+49`]
  for (const name of [former, own]) tab.setItem(`pocketsms.draft.${name}`, '{}')
  forgetDraftsOfAccounts()
  expect(tab.getItem(`pocketsms.draft.${former}`)).toBeNull()
  expect(tab.getItem(`pocketsms.draft.${own}`)).toBe('{}')
})

test('files that a person has shared with the console go when another signs in in the same tab', () => {
  const signIn = (id: string) =>
    pb.authStore.save(tokenOf({}), { id, collectionId: 'users', collectionName: 'users' })
  signIn('person000000001')
  watchNextPerson()
  pb.authStore.clear()
  signIn('person000000001')
  expect(deleted).toEqual([])
  pb.authStore.clear()
  signIn('person000000002')
  expect(deleted).toEqual(['pocketsms.shared'])
})
