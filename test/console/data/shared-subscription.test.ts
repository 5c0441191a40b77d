type Listen = (
  topic: string,
  hear: (data: unknown) => void,
) => { readonly subscribed: Promise<unknown>; leave(): void }
type Tell = (data: unknown) => void

const CLIENT = '../../../console/src/data/client.ts'
const FILE = '../../../console/src/data/use/shared-subscription.ts'
const PAUSE_MS = 5_000

// the client reads where the console stands: there is no such place in Node, nor in its types
vi.stubGlobal('location', new URL('http://127.0.0.1/'))
afterAll(() => vi.unstubAllGlobals())
const { pb } = await import(CLIENT)
const { listenToTopic }: { listenToTopic: Listen } = await import(FILE)

/** How often the next subscriptions are refused. */
let refusals = 0
const told: Tell[] = []
const subscribe = vi.spyOn(pb.realtime, 'subscribe').mockImplementation((async (
  _: string,
  tell: Tell,
) => {
  if (refusals-- > 0) throw new Error('no connection')
  told.push(tell)
  return () => {}
}) as never)
const unsubscribe = vi.spyOn(pb.realtime, 'unsubscribe').mockResolvedValue(undefined as never)
afterAll(() => vi.restoreAllMocks())
beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  vi.clearAllMocks()
})

test('a failed subscription is retried until it succeeds once', async () => {
  refusals = 2
  const heard: unknown[] = []
  const { subscribed, leave } = listenToTopic('contacts/*', (data) => heard.push(data))
  await vi.advanceTimersByTimeAsync(2 * PAUSE_MS)
  await subscribed
  expect(subscribe).toHaveBeenCalledTimes(3)
  expect(unsubscribe).toHaveBeenCalledTimes(2)
  told.at(-1)!('a change')
  expect(heard).toEqual(['a change'])
  leave()
})

test('a failed subscription is not retried after its last listener left', async () => {
  refusals = 1
  const { subscribed, leave } = listenToTopic('devices/*', () => {})
  const outcome = subscribed.then(
    () => 'subscribed',
    () => 'left',
  )
  leave()
  await vi.advanceTimersByTimeAsync(PAUSE_MS)
  expect(await outcome).toBe('left')
  expect(subscribe).toHaveBeenCalledTimes(1)
})
