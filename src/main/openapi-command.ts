import { describedCollections } from '../http/openapi/described-collections.ts'
import { openapiCommand } from '../http/openapi/document.ts'
import { readConfig } from '../platform/config.ts'
import { DESCRIBED } from './api-description.ts'
import { BUILT_IN } from './definitions.ts'
import { collectExtensions } from './features.ts'

export const openapi = openapiCommand(() => {
  const config = readConfig(process.env)
  return {
    url: config.publicUrl,
    collections: describedCollections(BUILT_IN),
    extensions: collectExtensions(config),
    described: DESCRIBED,
  }
})
