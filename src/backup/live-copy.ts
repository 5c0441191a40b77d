import { randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Db } from '../db/open.ts'
import { copyFolder } from '../db/pglite/folder-copy.ts'
import { UserError } from '../errors.ts'
import type { Logger } from '../log.ts'

// A server that holds an embedded database gives copies of it to commands: two processes cannot open one
// folder. It listens on the loopback address, and says in its data folder where, and with which token. A
// command sends the token, gets the name of a folder, and hangs up when it is done with it.

const FILE = 'backup.json'
const HOST = '127.0.0.1'
const TOKEN_BYTES = 32
const TOKEN_MS = 5_000
const MAX_CONNECTIONS = 4

type Answer = { readonly folder: string } | { readonly failed: string }

/**
 * Gives copies of an embedded database in a folder until the returned function is called; of others there is
 * nothing to give.
 */
export async function offerCopies(db: Db, log: Logger): Promise<() => Promise<void>> {
  const { folder } = db
  if (folder === undefined) return async () => {}
  const token = randomBytes(TOKEN_BYTES).toString('hex')
  const visits = new Map<Socket, Promise<void>>()
  const server = createServer((socket) => {
    const visit = receive(socket, token, db, folder)
      .catch((err) => log.error({ err }, 'a copy for a backup failed'))
      .finally(() => visits.delete(socket))
    visits.set(socket, visit)
  })
  server.maxConnections = MAX_CONNECTIONS
  server.listen(0, HOST)
  await once(server, 'listening')
  const file = join(folder, FILE)
  rmSync(file, { force: true })
  const { port } = server.address() as AddressInfo
  writeFileSync(file, JSON.stringify({ port, token }), { mode: 0o600, flag: 'wx' })
  return async () => {
    rmSync(file, { force: true })
    server.close()
    for (const socket of visits.keys()) socket.destroy()
    await Promise.all(visits.values())
  }
}

/** One connection: the copy lives as long as it does. */
async function receive(socket: Socket, token: string, db: Db, folder: string): Promise<void> {
  const gone = new AbortController()
  socket.on('error', () => {}) // it closes
  socket.once('close', () => gone.abort())
  socket.setTimeout(TOKEN_MS, () => socket.destroy())
  const given = await readToken(socket, gone.signal)
  if (!given || !timingSafeEqual(given, Buffer.from(token))) return void socket.destroy()
  socket.setTimeout(0)
  socket.resume() // or it would not be heard that the other side has hung up
  const answer = (said: Answer) => void socket.write(`${JSON.stringify(said)}\n`)
  try {
    const copy = await copyFolder(db, folder, gone.signal)
    answer({ folder: copy.folder })
    if (!gone.signal.aborted) await once(socket, 'close')
    await copy.remove()
  } catch (error) {
    if (gone.signal.aborted) return
    answer({ failed: (error as Error).message })
    socket.end()
    throw error
  }
}

/** As many bytes as a token has; undefined if there are fewer. */
async function readToken(socket: Socket, gone: AbortSignal): Promise<Buffer | undefined> {
  while (!gone.aborted) {
    const bytes: Buffer | null = socket.read(2 * TOKEN_BYTES)
    if (bytes) return bytes.length === 2 * TOKEN_BYTES ? bytes : undefined
    await once(socket, 'readable', { signal: gone }).catch(() => {})
  }
  return undefined
}

/** A copy that a server has made. It is there until `end`. */
export interface LiveCopy {
  readonly folder: string
  end(): void
}

/**
 * Asks the server that runs on a data folder for a copy of its database; undefined where none runs. Throws a
 * UserError if it cannot make one, or if we may not ask; what `signal` gives when that ends the waiting.
 */
export async function requestCopy(folder: string, signal: AbortSignal): Promise<LiveCopy | undefined> {
  const address = addressIn(folder)
  if (!address) return undefined
  const socket = connect(address.port, HOST)
  socket.once('connect', () => socket.write(address.token))
  const hangUp = () => socket.destroy()
  signal.addEventListener('abort', hangUp)
  const answer = await firstLine(socket)
  signal.throwIfAborted()
  if (answer === undefined) return void hangUp()
  const said = JSON.parse(answer) as Answer
  if ('folder' in said) return { folder: said.folder, end: hangUp }
  throw new UserError(`The server could not copy its database: ${said.failed}`)
}

function addressIn(folder: string): { port: number; token: string } | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, FILE), 'utf8'))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new UserError(
      `The running server cannot be asked: ${message}. Run this as the user that runs the server.`,
    )
  }
}

/** Undefined if the other side is none of our servers: the file was left by one that was killed. */
async function firstLine(socket: Socket): Promise<string | undefined> {
  socket.on('error', () => {}) // then there is no line
  for await (const line of createInterface({ input: socket })) return line.startsWith('{"') ? line : undefined
  return undefined
}
