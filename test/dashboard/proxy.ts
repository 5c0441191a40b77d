import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { POCKETBASE_VERSION } from '../support/pocketbase-version.ts'
import { listenLocally } from '../support/services/listen.ts'

const MODULE = `github.com/pocketbase/pocketbase@${POCKETBASE_VERSION}`
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
}

/** PocketBase's own dashboard: `ui/dist` of its Go module, which `go install` leaves in the module cache. */
export function dashboardFolder(): string {
  const folder =
    process.env.POCKETBASE_UI ??
    join(execFileSync('go', ['env', 'GOMODCACHE'], { encoding: 'utf8' }).trim(), MODULE, 'ui', 'dist')
  if (!existsSync(join(folder, 'index.html'))) {
    throw new Error(
      `No dashboard in ${folder}: go install github.com/pocketbase/pocketbase/examples/base@${POCKETBASE_VERSION}, or set POCKETBASE_UI.`,
    )
  }
  return folder
}

/** Serves the dashboard under `/_/` and forwards everything else to `target`. */
export async function startProxy(folder: string, target: string) {
  const server = createServer((req, res) => {
    const path = decodeURIComponent((req.url ?? '/').split('?')[0]!)
    if (path.startsWith('/_/')) {
      // made by the server: what a build of PocketBase adds to its dashboard
      if (path === '/_/extensions.js') return void res.writeHead(200, { 'content-type': TYPES['.js'] }).end()
      const file = join(folder, normalize(path.slice(3)) || 'index.html')
      const found = path === '/_/' ? join(folder, 'index.html') : file
      if (!found.startsWith(folder) || !existsSync(found)) return void res.writeHead(404).end()
      res.writeHead(200, { 'content-type': TYPES[extname(found)] ?? 'application/octet-stream' })
      return void res.end(readFileSync(found))
    }
    const forward = request(
      new URL(req.url ?? '/', target),
      { method: req.method, headers: req.headers },
      (answer) => {
        res.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(res)
      },
    )
    forward.on('error', () => res.headersSent || res.writeHead(502).end())
    res.on('close', () => forward.destroy())
    req.pipe(forward)
  })
  return listenLocally(server)
}
