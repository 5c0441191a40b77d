import { makeDevice, makeUser, testStore } from '../../support/database/queue.ts'

const store = await testStore()
const user = await makeUser(store)

const SIMS = `'[{"slot":1,"number":"+4915110","carrier":"One","country":"de"},{"slot":2,"number":"+4315120"}]'`

const linesOf = async (device: string) =>
  (
    await store.db.query(
      `select slot, number, carrier, country, enabled, present from lines where device = $1 order by slot`,
      [device],
    )
  ).rows

const report = (device: string, sims: unknown) =>
  store.db.query('update devices set sims = $2 where id = $1', [device, JSON.stringify(sims)])

describe('a new device', () => {
  test("a new device without SIM data has one line with the device's number", async () => {
    const { id } = await makeDevice(store, user)
    expect(await linesOf(id)).toEqual([[0, '+4930123', '', '', true, true]])
  })

  test('a new device has an enabled line for each SIM', async () => {
    const { id } = await makeDevice(store, user, { sims: SIMS })
    expect(await linesOf(id)).toEqual([
      [1, '+4915110', 'One', 'DE', true, true],
      [2, '+4315120', '', '', true, true],
    ])
  })

  test("a new device has lines named by the carrier's sender names instead of numbers", async () => {
    const sims = `'[{"slot":1,"sender":"Acme","carrier":"One"},{"slot":2,"sender":"80888"}]'`
    const { id } = await makeDevice(store, user, { sims })
    expect((await linesOf(id)).map(([, number]) => number)).toEqual(['Acme', '80888'])
  })

  test("a new device with one SIM uses the device's number when the SIM has no number", async () => {
    const { id } = await makeDevice(store, user, {
      sims: `'[{"simNumber":2,"carrierName":"Two"}]'`,
    })
    expect(await linesOf(id)).toEqual([[2, '+4930123', 'Two', '', true, true]])
  })

  test.each([
    ['no list', '{"slot":1}', 1],
    ['entries that are not objects', '[1,"x",null]', 1],
    ['an impossible slot', '[{"slot":9}]', 1],
    ['one slot twice', '[{"slot":1},{"slot":1,"carrier":"x"}]', 1],
    ['no slots: places count', '[{"carrier":"a"},{"carrier":"b"}]', 2],
    [
      'numbers that are hidden',
      '[{"slot":1,"number":"+4915***12"},{"slot":2,"number":"unknown"}]',
      2,
    ],
  ])('a new device that reports %s has $2 line(s)', async (_, sims, count) => {
    const { id } = await makeDevice(store, user, { sims: `'${sims}'`, phone: `''` })
    const lines = await linesOf(id)
    expect(lines).toHaveLength(count)
    for (const [, number] of lines) expect(number).toBe('')
  })
})

describe('later reports of a device', () => {
  test("later reports of a device of one SIM turn the device's line into the SIM's line and keep its limits", async () => {
    const { id } = await makeDevice(store, user)
    await store.db.query('update lines set daily_limit = 5 where device = $1', [id])
    await report(id, [{ slot: 1, number: '+4917000' }])
    expect(await linesOf(id)).toEqual([[1, '+4917000', '', '', true, true]])
    const { rows } = await store.db.query('select daily_limit from lines where device = $1', [id])
    expect(rows).toEqual([[5]])
  })

  test('later reports of a device of several SIMs within ten minutes create a line for each', async () => {
    const { id } = await makeDevice(store, user)
    await report(id, [{ slot: 1 }, { slot: 2 }])
    expect((await linesOf(id)).map(([slot, , , , enabled]) => [slot, enabled])).toEqual([
      [1, true],
      [2, true],
    ])
  })

  test('later reports of a device of several SIMs after ten minutes create disabled lines until the owner enables one', async () => {
    const { id } = await makeDevice(store, user)
    await store.db.query(`update devices set created = '2026-01-01 00:00:00.000Z' where id = $1`, [
      id,
    ])
    await report(id, [{ slot: 1 }, { slot: 2 }])
    expect((await linesOf(id)).map(([slot, , , , enabled]) => [slot, enabled])).toEqual([
      [0, true],
      [1, false],
      [2, false],
    ])
  })

  test('later reports of a device keep the line of a SIM that was removed and put back', async () => {
    const { id } = await makeDevice(store, user, { sims: SIMS })
    const { rows } = await store.db.query('select id from lines where device = $1 and slot = 2', [
      id,
    ])
    await store.db.query(`update lines set label = 'Shop' where id = $1`, [rows[0]![0]])
    await report(id, [{ slot: 1 }])
    expect((await linesOf(id)).map(([slot, , , , , present]) => [slot, present])).toEqual([
      [1, true],
      [2, false],
    ])
    await report(id, [{ slot: 1 }, { slot: 2 }])
    const back = await store.db.query(
      'select id, label, present, number from lines where device = $1 and slot = 2',
      [id],
    )
    expect(back.rows).toEqual([[rows[0]![0], 'Shop', true, '+4315120']])
  })

  test('later reports of a device without SIMs, as from a phone without the permission, leave its lines unchanged', async () => {
    const { id } = await makeDevice(store, user, { sims: SIMS })
    const before = await linesOf(id)
    await report(id, [])
    expect(await linesOf(id)).toEqual(before)
  })
})

test('lines are deleted with their device and move with it to another user', async () => {
  const device = await makeDevice(store, user, { sims: SIMS })
  const other = await makeUser(store)
  await store.db.query('update devices set "user" = $2 where id = $1', [device.id, other])
  const owners = await store.db.query('select distinct "user" from lines where device = $1', [
    device.id,
  ])
  expect(owners.rows).toEqual([[other]])
  await store.db.query('delete from devices where id = $1', [device.id])
  expect(await linesOf(device.id)).toEqual([])
})
