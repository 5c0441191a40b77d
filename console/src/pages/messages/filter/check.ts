import { parse } from '../../../../../grammar/filter.peggy'
import { problemsOf } from './problems.ts'

/** `problemsOf` with the parser, which is loaded with the first filter. */
export const check = (filter: string, isSuperuser: boolean) => problemsOf(parse, filter, isSuperuser)
