import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isRunning, postmasterIn } from '../support/database/embedded.ts'
import { temporaryFolder } from '../support/database/temporary-folder.ts'

// Whatever started the server, and however it ends, neither the server nor its Postgres stays behind.

const HOME = fileURLToPath(new URL('../..', import.meta.url))
/** As a Node that cannot replace its process by another program. */
const OLD_NODE = [process.execPath, '--import', 'data:text/javascript,delete process.execve']

test.runIf(process.platform === 'linux').each([
  ['npm start', 'SIGTERM', ['npm', 'start']],
  ['npm start', 'SIGKILL', ['npm', 'start']],
  ['npx', 'SIGTERM', ['npx', 'pocketsms', 'serve']],
  ['an older Node', 'SIGKILL', [...OLD_NODE, 'bin/pocketsms.js', 'serve']],
] as const)('%s, ended by %s', async (_, signal, [command, ...args]) => {
  const folder = temporaryFolder()
  const env = {
    ...process.env,
    DATA_DIR: folder,
    DATABASE_URL: '',
    PORT: '0',
    WORKERS: '1',
    LOG_LEVEL: 'error',
  }
  const child = spawn(command, args, { cwd: HOME, env, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk
  })
  await expect.poll(() => said).toMatch(/pocketsms listens/)
  const postmaster = postmasterIn(folder)
  const server = Number(readFileSync(`/proc/${postmaster}/stat`, 'utf8').split(') ')[1]!.split(' ')[1])
  child.kill(signal)
  await expect.poll(() => [server, postmaster].filter(isRunning)).toEqual([])
  expect(existsSync(join(folder, 'postgres', 'postmaster.pid'))).toBe(false)
})
