import { once } from 'node:events'
import { openAsBlob } from 'node:fs'
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { Readable } from 'node:stream'
import { S3mini } from 's3mini'
import { OutgoingAgent } from '../../platform/outgoing/proxy.ts'
import type { S3Settings } from '../settings/settings-shape.ts'
import type { BackupStorage, StoredBackup } from './folder-storage.ts'

const MIB = 1 << 20
/** Minimum size of a part of a large upload. Huge files need larger parts, since S3 allows only 10,000. */
const PART_BYTES = 8 * MIB
const MAX_PARTS = 9_000
const ANSWER_MS = 30_000
const PART_MS = 300_000

/** Backups as objects of a bucket of an S3-compatible store. PocketBase: tools/filesystem, NewS3 */
export function openS3Storage(settings: S3Settings): BackupStorage {
  // a new client for each request: an invalid address is then an error of the request
  const s3 = () => makeS3Client(settings)
  const list = async (prefix = ''): Promise<StoredBackup[]> => {
    const objects = await withS3Errors(s3().listObjects('/', prefix))
    if (!objects) throw new Error(`The bucket ${settings.bucket} does not exist.`)
    return objects.map(({ Key, Size, LastModified }) => ({
      key: Key,
      size: Number(Size),
      modified: new Date(LastModified),
    }))
  }
  return {
    list,
    find: async (key) => (await list(key)).find((one) => one.key === key),
    async *read(key, start, end) {
      if (end <= start) return
      const { body } = await withS3Errors(s3().getObjectRaw(key, false, start, end))
      for await (const piece of body ?? []) yield Buffer.from(piece)
    },
    async put(path, key) {
      const file = await openAsBlob(path)
      const partBytes = Math.max(PART_BYTES, Math.ceil(file.size / MAX_PARTS / MIB) * MIB)
      await withS3Errors(
        makeS3Client(settings, partBytes).putAnyObject(key, file, 'application/zip'),
      )
    },
    async delete(key) {
      // check first: S3 confirms the deletion of a missing object, too
      if (!(await withS3Errors(s3().objectExists(key))))
        throw new Error(`[key: ${key}] resource not found`)
      await withS3Errors(s3().deleteObject(key))
    },
  }
}

/** Writes, lists and deletes an object to test the settings. PocketBase: forms/test_s3_filesystem.go */
export async function testS3(settings: S3Settings): Promise<void> {
  const s3 = makeS3Client(settings)
  const key = `pb_settings_test_${Math.random().toString(36).slice(2, 7)}/test.txt`
  await withS3Errors(s3.putObject(key, 'test', 'text/plain')).catch((error: Error) => {
    throw new Error(`failed to upload a test file: ${error.message}`)
  })
  const removed = withS3Errors(s3.listObjects('/', key)).then(() =>
    withS3Errors(s3.deleteObject(key)),
  )
  await removed.catch((error: Error) => {
    throw new Error(`failed to delete a test file: ${error.message}`)
  })
}

function makeS3Client(
  { endpoint, bucket, region, accessKey, secret, forcePathStyle }: S3Settings,
  minPartSize = PART_BYTES,
): S3mini {
  const url = new URL(/^https?:\/\//.test(endpoint) ? endpoint : `https://${endpoint}`)
  if (forcePathStyle) url.pathname = `${url.pathname.replace(/\/$/, '')}/${bucket}`
  else url.hostname = `${bucket}.${url.hostname}`
  return new S3mini({
    accessKeyId: accessKey,
    secretAccessKey: secret,
    endpoint: url.href.replace(/\/$/, ''),
    region,
    minPartSize,
    fetch: fetchWithTimeout,
  })
}

/** Fetch without redirects, with a time limit. When a range is fetched, the limit ends as the body begins. */
const fetchWithTimeout: typeof fetch = async (input, init) => {
  const late = new AbortController()
  const error = new Error('The S3 server does not answer.')
  const timer = setTimeout(() => late.abort(error), init?.body ? PART_MS : ANSWER_MS).unref()
  const headers = new Headers(init?.headers)
  // at most a part of a file
  const body = init?.body ? Buffer.from(await new Response(init.body).arrayBuffer()) : undefined
  const asked = { method: init?.method, headers: Object.fromEntries(headers), signal: late.signal }
  const answer = await fetchByHttp(String(input), asked, body)
  if (headers.has('range')) clearTimeout(timer)
  return answer
}

/** The https agent of all requests, which keeps connections. */
const agent = new OutgoingAgent({ keepAlive: true, timeout: 5_000 })

/**
 * Fetches by `node:http`, which can use a proxy. Also, `fetch` of Node 24 ends the process if a server closes
 * the connection while the end of its answer waits to be read. https://github.com/nodejs/undici/issues/5360
 */
async function fetchByHttp(
  address: string,
  options: RequestOptions & { readonly signal: AbortSignal },
  body: Buffer | undefined,
): Promise<Response> {
  const { method, signal } = options
  const asked = address.startsWith('https:')
    ? httpsRequest(address, { ...options, agent })
    : httpRequest(address, options)
  asked.end(body)
  const [answer] = (await once(asked, 'response').catch((error: Error) => {
    throw signal.aborted ? signal.reason : error
  })) as [IncomingMessage]
  const { statusCode: status = 0, statusMessage: statusText } = answer
  if (status >= 300 && status < 400) {
    answer.destroy()
    throw new Error('The S3 server redirects to another address.')
  }
  const isEmpty = method === 'HEAD' || status === 204
  if (isEmpty) answer.resume()
  const named = Object.entries(answer.headers).map(([name, of]) => [name, String(of)] as const)
  return new Response(isEmpty ? null : (Readable.toWeb(answer) as ReadableStream), {
    status,
    statusText,
    headers: Object.fromEntries(named),
  })
}

async function withS3Errors<T>(request: Promise<T>): Promise<T> {
  try {
    return await request
  } catch (error) {
    const reasons = []
    for (let one: unknown = error; one instanceof Error; one = one.cause)
      reasons.push(describeS3Error(one))
    throw new Error([...new Set(reasons.filter(Boolean))].join(': '), { cause: error })
  }
}

function describeS3Error(error: Error): string {
  const body = 'body' in error ? String(error.body) : ''
  const sentence = /<Message>([^<]{1,500})<\/Message>/.exec(body)?.[1]
  const text = error.message.replace(/^\[s3mini\] /, '')
  return sentence ? `${text} (${sentence})` : text
}
