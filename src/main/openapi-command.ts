import { readConfig } from '../config.ts'
import { OWN_ROUTES } from './app.ts'
import { openapiCommand } from '../openapi/document.ts'
import { PROTOCOLS } from '../protocols/protocols.ts'
import { extensionsOf } from './extensions.ts'

export const openapi = openapiCommand(() => {
  const config = readConfig(process.env)
  return {
    url: config.publicUrl,
    extensions: extensionsOf(config),
    described: [OWN_ROUTES, ...PROTOCOLS],
  }
})
