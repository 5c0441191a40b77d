import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { makePhoto, servePicture } from '../support/pictures.ts'
import { must, startServerWithDevices } from '../support/server/server-with-devices.ts'

// The lines of docs/app.md that need an API key and nothing else, as they stand there.

const run = promisify(execFile)
const server = await startServerWithDevices({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const user = await server.makeUser()
await server.pair(user)
const { items } = await must(user, 'GET', '/api/collections/lines/records')
await must(user, 'PATCH', `/api/collections/lines/records/${items[0].id}`, { mms: 'on' })
const values = { user: user.id, name: 'newsletter' }
const { key } = await must(user, 'POST', '/api/collections/api_keys/records', values)

const folder = temporaryFolder()
const photo = await makePhoto('whatsapp')
/** A server that has it at the address of the page. */
const shop = await servePicture(photo)
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

test('the page has a send, and sends of a photo that is uploaded, linked to, and at an address', () => {
  expect(COMMANDS.filter((line) => line.includes('/api/sms/send')).length).toBeGreaterThan(1)
  for (const part of ['attachments=@menu.jpg', 'mms=or_link', 'https://shop.example/menu.jpg'])
    expect(COMMANDS.some((line) => line.includes(part))).toBe(true)
})

test.each(COMMANDS)('%s', async (command) => {
  const env = { ...process.env, URL: server.url, KEY: key }
  const here = command.replace('https://shop.example', shop.url)
  const { stdout } = await run('bash', ['-c', here], { cwd: folder, env })
  const answer = JSON.parse(stdout)
  // a command may show a refusal, which then stands below it
  const below = PAGE.slice(PAGE.indexOf(command) + command.length).slice(0, 200)
  const refusal = /```json\n\{"error":"(\w+)"/.exec(below)?.[1]
  expect(answer.error).toBe(refusal)
  if (command.includes('/send') && !refusal) expect(answer.status).toBe('accepted')
})
