import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const MODULE = new URL('../../../src/platform/tools/stop-signal.ts', import.meta.url)
const LATER_MS = 1_100

/** A program that takes a while to stop; what it says, and how it ends. */
async function start(stopMs: number) {
  const code = `
    const { onStopSignal } = await import(${JSON.stringify(MODULE.href)})
    setInterval(() => {}, 1000)
    onStopSignal((signal) => {
      console.log(signal)
      setTimeout(() => process.exit(0), ${stopMs})
    })
    console.log('ready')`
  const program = spawn(process.execPath, ['--input-type=module', '-e', code], {
    cwd: fileURLToPath(new URL('../../..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  program.stdout.on('data', (text) => {
    said += text
  })
  const ended = once(program, 'close')
  await expect.poll(() => said, { timeout: 60_000 }).toContain('ready')
  return { program, said: () => said, ended: ended.then(([code]) => code as number | null) }
}

test('several signals at once count as one', async () => {
  const { program, said, ended } = await start(500)
  program.kill('SIGTERM')
  program.kill('SIGINT')
  program.kill('SIGTERM')
  expect(await ended).toBe(0)
  expect(said()).toMatch(/^ready\nSIG(TERM|INT)\n$/)
})

test('a second signal later ends a process that does not stop', async () => {
  const { program, said, ended } = await start(3_600_000)
  program.kill('SIGINT')
  await expect.poll(said, { timeout: 60_000 }).toContain('SIGINT')
  await sleep(LATER_MS)
  program.kill('SIGINT')
  expect(await ended).toBe(1)
})
