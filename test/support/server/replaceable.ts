import net from 'node:net'
import { freePort } from '../database/postgres.ts'
import { until } from '../until.ts'
import { type RunningProgram, serve, startProgram } from './program.ts'
import { PROGRAM } from './program-files.ts'

/** A server that runs, and how it is replaced. */
interface Replaceable {
  readonly url: string
  replace(): Promise<void>
  stop(): Promise<void>
}

type Env = Readonly<Record<string, string>>

const HEALTH = '/api/health'
const REPLACED_MS = 120_000

/** The ways to replace a server while its port stays open. `env` names its database. */
export const WAYS: Readonly<Record<string, (env: Env) => Promise<Replaceable>>> = {
  'the parent of two workers': async (env) =>
    replaceBySignal(await serve({ ...env, ...(await choosePlace()), WORKERS: '2' })),
  'the parent of a worker, with a socket of systemd': async (env) => {
    const { HOST, PORT } = await choosePlace()
    const all = { ...env, HOST, WORKERS: '1' }
    const names = ['PATH', 'HOME', ...Object.keys(all)].flatMap((name) => ['-E', name])
    const args = [...names, '-l', `${HOST}:${PORT}`, process.execPath, PROGRAM, 'serve']
    const url = `http://${HOST}:${PORT}`
    return replaceBySignal(await startProgram('systemd-socket-activate', args, all, url, HEALTH))
  },
  'a restart by systemd, which keeps the socket': async (env) => {
    const { handle, port } = bindSocket()
    const url = `http://127.0.0.1:${port}`
    const all = { ...env, HOST: '127.0.0.1', LISTEN_FDS: '1' }
    // exec keeps the process id
    const args = ['-c', `LISTEN_PID=$$ exec ${process.execPath} ${PROGRAM} serve`]
    const start = () => startProgram('sh', args, all, url, HEALTH, [handle.fd])
    let program = await start()
    return {
      url,
      async replace() {
        await program.stop()
        program = await start()
      },
      async stop() {
        await program.stop()
        handle.close()
      },
    }
  },
}

const choosePlace = async () => ({ HOST: '127.0.0.1', PORT: String(await freePort()) })

/** SIGUSR2 lets the parent of workers replace them. */
function replaceBySignal(program: RunningProgram): Replaceable {
  const count = () => program.output().split('Replaced the workers').length
  return {
    ...program,
    async replace() {
      const before = count()
      process.kill(program.pid, 'SIGUSR2')
      await until('the end of a replacement', () => count() > before, REPLACED_MS)
    },
  }
}

/** A socket that this process keeps open, and to which it does not listen. */
function bindSocket() {
  // Node's own, without a documented name: a Server would accept the connections
  const { _createServerHandle } = net as unknown as {
    _createServerHandle(
      address: string,
      port: number,
      family: 4,
    ): { fd: number; close(): void; getsockname(out: object): void }
  }
  const handle = _createServerHandle('127.0.0.1', 0, 4)
  const name = { port: 0 }
  handle.getsockname(name)
  return { handle, port: name.port }
}
