import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { toNodeHandler } from 'better-auth/node'
import { auth } from './auth.js'

const page = readFileSync(new URL('page.html', import.meta.url))
const handle = toNodeHandler(auth)

createServer((request, response) => {
  if (request.url !== '/') return handle(request, response)
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page)
}).listen(process.env.PORT ?? 3000)
