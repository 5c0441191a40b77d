import { valueAt } from './template.ts'

/** The names of a path, `a.b.0`. */
export const namesOf = (path: string): string[] => path.trim().split('.')

/** Whether a body is as a condition says: `path=value,other value`, or several with `;` between. */
export const isMet = (condition: string, body: unknown): boolean =>
  condition.split(';').some((one) => {
    const [, path = '', values] = /^([^=]*)=(.*)$/s.exec(one) ?? []
    const state = valueAt(body, namesOf(path))
    const isScalar = state === null || typeof state !== 'object'
    return isScalar && values?.split(',').some((value) => value.trim() === String(state)) === true
  })
