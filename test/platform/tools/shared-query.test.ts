import { shareQuery } from '../../../src/platform/tools/shared-query.ts'

/** A question whose answers are given by hand: the number of the question. */
function questions() {
  const asked: { answer(): void; fail(): void }[] = []
  const ask = () =>
    new Promise<number>((resolve, reject) => {
      const number = asked.length + 1
      asked.push({ answer: () => resolve(number), fail: () => reject(new Error(`no ${number}`)) })
    })
  return { asked, ask }
}

test('callers during a running query share the next one', async () => {
  const { asked, ask } = questions()
  const query = shareQuery(ask, 0)
  const first = query()
  await expect.poll(() => asked.length).toBe(1)
  const late = [query(), query(), query()]
  asked[0]!.answer()
  expect(await first).toBe(1)
  await expect.poll(() => asked.length).toBe(2)
  asked[1]!.answer()
  expect(await Promise.all(late)).toEqual([2, 2, 2])
  expect(asked).toHaveLength(2)
})

test('a failed query fails its own callers only', async () => {
  const { asked, ask } = questions()
  const query = shareQuery(ask, 0)
  const first = query()
  await expect.poll(() => asked.length).toBe(1)
  const second = query()
  asked[0]!.fail()
  await expect(first).rejects.toThrow('no 1')
  await expect.poll(() => asked.length).toBe(2)
  asked[1]!.answer()
  expect(await second).toBe(2)
})

test('the next query starts after a pause', async () => {
  let last = 0
  const query = shareQuery(async () => performance.now(), 50)
  for (let i = 0; i < 3; i++) {
    const sent = await query()
    expect(sent - last).toBeGreaterThanOrEqual(45)
    last = sent
  }
})
