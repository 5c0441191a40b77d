import { parse } from '../../../../../grammar/filter.peggy'

/** The position of a filter's syntax error by the server's grammar; undefined if the filter is valid. */
export function faultAt(filter: string): number | undefined {
  if (filter.trim() === '') return undefined
  try {
    parse(filter)
    return undefined
  } catch (error) {
    return (error as { location?: { start: { offset: number } } }).location?.start.offset ?? filter.length
  }
}
