// the client reads where the console stands: there is no such place in Node, nor in its types
vi.stubGlobal('location', new URL('http://127.0.0.1/'))
afterAll(() => vi.unstubAllGlobals())
const { pb } = await import('../../../console/src/data/client.ts' as string)
const { applyChanges, changeRecord } = await import(
  '../../../console/src/data/optimistic.ts' as string
)
const { filterNotShown } = await import(
  '../../../console/src/data/connection/on-the-way.ts' as string
)

const RUNS = 1_000
const MAX_LATENCY_MS = 3_000

/** Numbers from 0 to 1, the same in each run of the tests (mulberry32). */
function randomsOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

interface Conversation {
  readonly id: string
  readonly updated: string
  readonly archived: boolean
  readonly assignee: string
}

beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-01-01T00:00:00Z') }))
afterEach(() => void vi.useRealTimers())

const later = (ms: number) => new Promise<void>((done) => setTimeout(done, ms))
const now = () => new Date().toISOString().replace('T', ' ')

const CALM_MS = 400

/**
 * A server that answers, tells and is read after random times, in any order, and refuses some changes. As in
 * lists of the console, an event causes a read, and only the answer to the last read counts.
 */
function serverOf(random: () => number, id: string, refuses: () => boolean) {
  const latency = () => random() * MAX_LATENCY_MS
  let truth: Conversation = { id, updated: now(), archived: false, assignee: '' }
  const screen = { record: truth }
  let turn = 0
  const read = async () => {
    const mine = ++turn
    await later(latency())
    const found = truth
    await later(latency())
    if (mine === turn) screen.record = found
  }
  const tell = async (record: Conversation) => {
    await later(latency())
    screen.record = record
    await later(CALM_MS)
    await read()
  }
  const answer = async (_: unknown, request: RequestInit) => {
    await later(latency())
    const isRefused = refuses()
    if (!isRefused) truth = { ...truth, ...JSON.parse(String(request.body)), updated: now() }
    const made = truth
    if (!isRefused) void tell(made)
    await later(latency())
    return Response.json(isRefused ? { message: 'refused' } : made, {
      status: isRefused ? 400 : 200,
    })
  }
  // the client's own way to another transport: its requests end here instead of in the network
  pb.beforeSend = (url: string, options: object) => ({
    url,
    options: { ...options, fetch: answer },
  })
  return { screen, read }
}

test('archive and assign appear at once and stay, in 1,000 orders of answers, events and slow reads', async () => {
  for (let run = 0; run < RUNS; run++) {
    const random = randomsOf(run)
    const id = `a${run}`
    const { screen, read } = serverOf(random, id, () => false)
    const wanted = { archived: false, assignee: '' }
    const steps = 1 + Math.floor(random() * 4)
    for (let step = 0; step < steps; step++) {
      const values = random() < 0.5 ? { archived: random() < 0.5 } : { assignee: `p${step}` }
      Object.assign(wanted, values)
      void changeRecord('conversations', id, values)
      expect(applyChanges(screen.record), `run ${run}`).toMatchObject(wanted)
      for (let part = 0; part < 8; part++) {
        if (random() < 0.3) void read()
        await vi.advanceTimersByTimeAsync(random() * 200)
        expect(applyChanges(screen.record), `run ${run}`).toMatchObject(wanted)
      }
    }
    for (let part = 0; part < 10; part++) {
      await vi.advanceTimersByTimeAsync(3_000)
      expect(applyChanges(screen.record), `run ${run}`).toMatchObject(wanted)
    }
    expect(screen.record, `run ${run}`).toMatchObject(wanted)
  }
}, 120_000)

test('a change that the server refuses is taken back once, and later ones stay', async () => {
  for (let run = 0; run < 200; run++) {
    const random = randomsOf(run)
    const id = `b${run}`
    let count = 0
    const { screen } = serverOf(random, id, () => ++count === 1)
    const refusal = changeRecord('conversations', id, { archived: true }).catch(
      (error: Error) => error,
    )
    const other = changeRecord('conversations', id, { assignee: 'me' })
    let flips = 0
    let last = true
    for (let part = 0; part < 100; part++) {
      await vi.advanceTimersByTimeAsync(200)
      const shown = applyChanges(screen.record)
      if (shown.archived !== last) flips++
      last = shown.archived
      expect(shown.assignee, `run ${run}`).toBe('me')
    }
    await other
    expect(await refusal).toBeInstanceOf(Error)
    expect([flips, last], `run ${run}`).toEqual([1, false])
  }
}, 60_000)

test("after my change is answered and its event arrived, it no longer hides another person's later change", async () => {
  const { screen } = serverOf(
    () => 0.5,
    'c',
    () => false,
  )
  await Promise.all([
    changeRecord('conversations', 'c', { assignee: 'me' }),
    vi.advanceTimersByTimeAsync(3_000),
  ])
  await vi.advanceTimersByTimeAsync(3_000)
  screen.record = { ...screen.record, assignee: 'ben', updated: now() }
  expect(applyChanges(screen.record).assignee).toBe('ben')
})

test('a sent text is on the screen exactly once, in 1,000 orders of its answer and its event', () => {
  for (let run = 0; run < RUNS; run++) {
    const random = randomsOf(run)
    const latency = () => random() * MAX_LATENCY_MS
    // the server accepts texts in the order of their requests
    let clock = 0
    const sent = Array.from({ length: 1 + Math.floor(random() * 4) }, (_, at) => {
      const accepted = clock + latency()
      const answered = accepted + latency()
      clock = answered
      const body = random() < 0.5 ? 'OK' : `text ${at}`
      return { at, body, accepted, answered, read: accepted + latency() }
    })
    const times = sent.flatMap(({ answered, read }) => [answered, read]).sort((a, b) => a - b)
    for (const time of [0, ...times, clock + MAX_LATENCY_MS]) {
      const onTheWay = sent.map(({ at, body, answered }) => ({
        key: `k${at}`,
        from: 'me',
        number: '+1',
        request: { body },
        isFirst: false,
        at,
        fault: '',
        after: '2026-01-01 00:00:00.000Z',
        ...(answered <= time && { message: `m${at}` }),
      }))
      const texts = sent
        .filter(({ read }) => read <= time)
        .map(({ at, body, accepted }) => ({
          id: `m${at}`,
          message_type: 'outgoing',
          sent_by: 'me',
          body,
          created: new Date(Date.parse('2026-01-01T00:00:01Z') + accepted)
            .toISOString()
            .replace('T', ' '),
        }))
        .reverse()
      const earlier = {
        id: 'm',
        message_type: 'outgoing',
        sent_by: 'me',
        body: 'OK',
        created: '2026-01-01 00:00:00.000Z',
      }
      const left: { request: { body: string } }[] = filterNotShown(
        onTheWay,
        [...texts, earlier],
        [],
        'me',
      )
      const shown = [...texts, ...left.map(({ request }) => request)].map(({ body }) => body)
      expect(shown.toSorted(), `run ${run} at ${time}`).toEqual(
        sent.map(({ body }) => body).toSorted(),
      )
    }
  }
})

test('a refused text stays beside an equal one of the same sender, and a saved note shows once', () => {
  const text = {
    key: 'k',
    from: 'me',
    number: '+1',
    request: { body: 'OK' },
    isFirst: false,
    at: 0,
    after: '',
  }
  const read = { id: 'm', message_type: 'outgoing', sent_by: 'me', body: 'OK', created: '2026' }
  const refused = { ...text, fault: 'The month is used up.' }
  expect(filterNotShown([refused], [read], [], 'me')).toEqual([refused])
  const note = { ...text, fault: '', note: { conversation: 'c', mentions: [] } }
  expect(filterNotShown([note], [read], [], 'me')).toEqual([note])
  expect(filterNotShown([{ ...note, message: 'n' }], [], [{ id: 'n' }], 'me')).toEqual([])
})
