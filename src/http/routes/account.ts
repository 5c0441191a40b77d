import { readFileSync } from 'node:fs'
import { Hono } from 'hono'
import type { Env } from '../context.ts'

const PAGE = readFileSync(new URL('../pages/account.html', import.meta.url), 'utf8')

/** Tokens are in its address: nothing may load, frame or remember the page. */
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}

/** `/_/`: the page behind the links that are printed at the first start and mailed. What it does stands in the hash. */
export const accountRoutes = () =>
  new Hono<Env>().get('/_', (c) => c.redirect('/_/', 307)).get('/_/', (c) => c.body(PAGE, 200, HEADERS))
