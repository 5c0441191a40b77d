import { openapiCommand } from '../http/openapi/document.ts'
import { readConfig } from '../platform/config.ts'
import { DESCRIBED } from './api-description.ts'
import { extensionsOf } from './features.ts'

export const openapi = openapiCommand(() => {
  const config = readConfig(process.env)
  return {
    url: config.publicUrl,
    extensions: extensionsOf(config),
    described: DESCRIBED,
  }
})
