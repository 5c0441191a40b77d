import type { Make } from './call.ts'
import { geoDistance } from './geo-distance.ts'
import { strftime } from './strftime.ts'

/** The functions of the filter language, by name. PocketBase: tools/search/token_functions.go. Contract 2.8. */
export const FUNCTIONS: ReadonlyMap<string, Make> = new Map([
  ['geoDistance', geoDistance],
  ['strftime', strftime],
])
