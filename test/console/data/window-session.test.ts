import PocketBase, { BaseAuthStore } from 'pocketbase'

type KeepSignIns = (shown: PocketBase, own: PocketBase) => void
// the code of browsers has types that Node's tests have not
const FILE = '../../../console/src/data/window-session.ts'
const { keepSignIns }: { keepSignIns: KeepSignIns } = await import(FILE)

const KEYS = ['pocketbase_auth', 'pocketsms.own']
let expiry = Math.floor(Date.now() / 1000) + 1_000

/** A token that expires a second after the one before it. */
const tokenOf = (id: string): string =>
  `h.${Buffer.from(JSON.stringify({ id, exp: ++expiry })).toString('base64url')}.s`

class Items implements Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> {
  readonly all = new Map<string, string>()
  getItem = (key: string) => this.all.get(key) ?? null
  setItem = (key: string, value: string) => void this.all.set(key, value)
  removeItem = (key: string) => void this.all.delete(key)
}

const shared = new Items()
let windows: { tell: () => void }[] = []

/** A window of the browser: its two clients, and `at` for what happens in it. Others hear of each change. */
function openWindow(items = new Items()) {
  const [shown, own] = [0, 1].map(() => new PocketBase('http://127.0.0.1/', new BaseAuthStore()))
  const at = <T>(work: () => T): T => {
    vi.stubGlobal('localStorage', shared)
    vi.stubGlobal('sessionStorage', items)
    return work()
  }
  let tell = () => {}
  vi.stubGlobal('addEventListener', (_: string, hear: () => void) => {
    tell = () => at(hear)
  })
  at(() => keepSignIns(shown!, own!))
  const self = { tell }
  windows.push(self)
  const change = (work: (shown: PocketBase, own: PocketBase) => void) => {
    at(() => work(shown!, own!))
    for (const other of windows) if (other !== self) other.tell()
  }
  return {
    change,
    items,
    shows: () => [shown, own].map((client) => client!.authStore.record?.id),
    shown: shown!,
  }
}

const signIn = (client: PocketBase, id: string) =>
  client.authStore.save(tokenOf(id), { id, collectionId: 'u', collectionName: 'users' })

beforeEach(() => {
  shared.all.clear()
  windows = []
})
afterAll(() => vi.unstubAllGlobals())

test('a window keeps its account when another window changes to another', () => {
  const [first, second] = [openWindow(), openWindow()]
  first.change((shown) => signIn(shown, 'ben'))
  expect(second.shows()).toEqual(['ben', undefined])
  const { token } = second.shown.authStore
  first.change((shown, own) => {
    own.authStore.save(shown.authStore.token, shown.authStore.record)
    signIn(shown, 'ann')
  })
  expect([first.shows(), second.shows()]).toEqual([
    ['ann', 'ben'],
    ['ben', undefined],
  ])
  expect(second.shown.authStore.token).toBe(token)
  // a reload of each, and a new window
  expect(openWindow(second.items).shows()).toEqual(['ben', undefined])
  expect(openWindow(first.items).shows()).toEqual(['ann', 'ben'])
  expect(openWindow().shows()).toEqual(['ann', 'ben'])
})

test('a renewed token of the person reaches all windows', () => {
  const [first, second] = [openWindow(), openWindow()]
  first.change((shown) => signIn(shown, 'ben'))
  second.change((shown, own) => {
    own.authStore.save(shown.authStore.token, shown.authStore.record)
    signIn(shown, 'ann')
  })
  second.change((_, own) => signIn(own, 'ben'))
  expect(first.shown.authStore.token).toBe(JSON.parse(shared.getItem(KEYS[1]!)!).token)
  expect(second.shows()).toEqual(['ann', 'ben'])
})

test('a sign-out ends all windows, and another person is signed in everywhere', () => {
  const [first, second] = [openWindow(), openWindow()]
  first.change((shown) => signIn(shown, 'ben'))
  second.change((shown, own) => {
    own.authStore.save(shown.authStore.token, shown.authStore.record)
    signIn(shown, 'ann')
  })
  first.change((shown) => shown.authStore.clear())
  expect(second.shows()).toEqual([undefined, undefined])
  first.change((shown) => signIn(shown, 'cleo'))
  expect(second.shows()).toEqual(['cleo', undefined])
})

test('a restored window does not bring back a sign-in that was ended', () => {
  const first = openWindow()
  first.change((shown) => signIn(shown, 'ben'))
  windows = []
  openWindow().change((shown) => shown.authStore.clear())
  expect(openWindow(first.items).shows()).toEqual([undefined, undefined])
})

test('the window of a provider has no sign-in, and ends no sign-in of another window', () => {
  const first = openWindow()
  first.change((shown) => signIn(shown, 'ben'))
  vi.stubGlobal('location', { hash: '#/auth/oauth2-redirect-success' })
  const popup = openWindow()
  vi.stubGlobal('location', undefined)
  expect(popup.shows()).toEqual([undefined, undefined])
  popup.change((shown, own) => {
    shown.authStore.clear()
    own.authStore.clear()
  })
  expect(first.shows()).toEqual(['ben', undefined])
})

test('the window of a mailed link keeps the sign-in that is made there', () => {
  vi.stubGlobal('location', { hash: '#/auth/confirm-verification/token' })
  const mailed = openWindow()
  vi.stubGlobal('location', undefined)
  mailed.change((shown) => signIn(shown, 'ben'))
  expect(openWindow().shows()).toEqual(['ben', undefined])
})
