import { execFileSync } from 'node:child_process'

const FILE = new URL('../../../src/platform/tools/release-memory.ts', import.meta.url)

const WORK = `
let kept = []
for (let i = 0; i < 600_000; i++) kept.push({ i })
kept = []`

/** Prints how many MB a process holds after work, before and after a release. */
const PROGRAM = `
import { measureYoungSpace, releaseMemory } from '${FILE.href}'
${WORK}
const measure = () => [measureYoungSpace(), process.memoryUsage.rss()]
const before = measure()
releaseMemory()
console.log(JSON.stringify([before, measure()]))`

test('a process returns the memory of its work to the system', () => {
  const args = ['--max-semi-space-size=16', '--input-type=module', '--eval', PROGRAM]
  const [before, after] = JSON.parse(
    execFileSync(process.execPath, args, { encoding: 'utf8' }),
  ) as [[number, number], [number, number]]
  expect(before[0]).toBeGreaterThan(16 << 20)
  expect(after[0]).toBeLessThan(4 << 20)
  expect(before[1] - after[1]).toBeGreaterThan(16 << 20)
})

/** Works like a start, and prints the size of the young space seconds later, when it has been idle. */
const STARTED = `
import { setTimeout as sleep } from 'node:timers/promises'
import { measureYoungSpace, releaseMemoryWhenIdle } from '${FILE.href}'
${WORK}
const before = measureYoungSpace()
releaseMemoryWhenIdle()
await sleep(7_000)
console.log(JSON.stringify([before, measureYoungSpace()]))`

test('a process that has started returns the memory of its start as soon as it is idle', () => {
  const args = ['--max-semi-space-size=16', '--input-type=module', '--eval', STARTED]
  const [before, after] = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))
  expect(before).toBeGreaterThan(16 << 20)
  expect(after).toBeLessThan(4 << 20)
})
