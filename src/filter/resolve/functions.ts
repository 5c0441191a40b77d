import type { FunctionBuilder } from './call.ts'
import { geoDistance } from './geo-distance.ts'
import { strftime } from './strftime.ts'

/** The functions of the filter language. PocketBase: tools/search/token_functions.go. Contract 2.8. */
export const FUNCTIONS: ReadonlyMap<string, FunctionBuilder> = new Map([
  ['geoDistance', geoDistance],
  ['strftime', strftime],
])
