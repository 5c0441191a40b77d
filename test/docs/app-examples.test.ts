import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { makePhoto } from '../support/pictures.ts'
import { must, startServerWithDevices } from '../support/server/server-with-devices.ts'

// The lines of docs/app.md that need an API key and nothing else, as they stand there.

const run = promisify(execFile)
const server = await startServerWithDevices()
const user = await server.makeUser()
await server.pair(user)
const { items } = await must(user, 'GET', '/api/collections/lines/records')
await must(user, 'PATCH', `/api/collections/lines/records/${items[0].id}`, { mms: 'on' })
const values = { user: user.id, name: 'newsletter' }
const { key } = await must(user, 'POST', '/api/collections/api_keys/records', values)

const folder = temporaryFolder()
const photo = await makePhoto('whatsapp')
// what follows the end of a JPEG is ignored
writeFileSync(
  join(folder, 'menu.jpg'),
  Buffer.concat([photo, Buffer.alloc(4_000_000 - photo.length)]),
)

const PAGE = readFileSync('docs/app.md', 'utf8').replaceAll('\\\n', ' ')

/** The commands of the page with `X-API-Key` and no other variable than $URL and $KEY. */
const COMMANDS = PAGE.split('\n')
  .filter((line) => line.startsWith('curl ') && line.includes('X-API-Key'))
  .filter((line) => !/\$(?!URL\b|KEY\b)[A-Z]/.test(line))

test('the page has a send, and a send of a photo', () => {
  expect(COMMANDS.filter((line) => line.includes('/api/sms/send')).length).toBeGreaterThan(1)
  expect(COMMANDS.filter((line) => line.includes('attachments=@menu.jpg'))).toHaveLength(1)
})

test.each(COMMANDS)('%s', async (command) => {
  const env = { ...process.env, URL: server.url, KEY: key }
  const { stdout } = await run('bash', ['-c', command], { cwd: folder, env })
  const answer = JSON.parse(stdout)
  // a command may show a refusal, which then stands below it
  const below = PAGE.slice(PAGE.indexOf(command) + command.length).slice(0, 200)
  const refusal = /```json\n\{"error":"(\w+)"/.exec(below)?.[1]
  expect(answer.error).toBe(refusal)
  if (command.includes('/send') && !refusal) expect(answer.status).toBe('accepted')
})
