import { listDescribedCollections } from '../http/openapi/described-collections.ts'
import { makeOpenapiCommand } from '../http/openapi/document.ts'
import { readConfig } from '../platform/config.ts'
import { DESCRIBED } from './api-description.ts'
import { BUILT_IN } from './collection-definitions.ts'
import { collectExtensions } from './features.ts'

export const openapi = makeOpenapiCommand(() => {
  const config = readConfig(process.env)
  return {
    url: config.publicUrl,
    collections: listDescribedCollections(BUILT_IN),
    extensions: collectExtensions(config),
    described: DESCRIBED,
  }
})
