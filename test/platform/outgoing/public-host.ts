import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { fetchFile } from '../../../src/platform/outgoing/fetch-file.ts'

// Runs alone in a network where PUBLIC is this machine: fetches from it files that redirect to each of the
// given addresses, and prints what was fetched, and which hosts were asked.

const [PUBLIC, folder = '', ...targets] = process.argv.slice(2)
const file = (name: string) => readFileSync(join(folder, name))

const asked: string[] = []
const server = createServer({ key: file('key.pem'), cert: file('cert.pem') }, (req, res) => {
  asked.push(req.headers.host ?? '')
  const target = targets[Number(req.url?.slice(1))]
  if (target) res.writeHead(307, { location: target }).end()
  else res.end('file')
})
// all addresses of this machine, private ones, too
await new Promise<void>((resolve) => server.listen(443, '0.0.0.0', resolve))
for (const [i, target] of targets.entries()) {
  asked.length = 0
  const limits = { allowPrivate: false, untilMs: performance.now() + 5_000 }
  const found = await fetchFile(`https://${PUBLIC}/${i}`, 1_000, limits)
  const outcome = found.body ? found.body.toString() : found.fault
  process.stdout.write(`${JSON.stringify({ target, outcome, asked })}\n`)
}
server.close()
server.closeAllConnections()
