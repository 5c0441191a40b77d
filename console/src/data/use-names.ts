import { useEffect, useState } from 'preact/hooks'
import { pb } from './client.ts'
import type { Contact } from './records.ts'

/** Numbers of one question: a filter may have so many parts. */
const AT_ONCE = 60

/** Names of the user's contacts by number: asked once for each number that is new. A number without a contact has ''. */
export function useNames(numbers: readonly string[]): (number: string) => string {
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map())
  const unknown = [...new Set(numbers)]
    .filter((number) => number !== '' && !names.has(number))
    .slice(0, AT_ONCE)
  const question = unknown.join()
  useEffect(() => {
    if (question === '') return
    let left = false
    const asked = question.split(',')
    const filter = asked.map((phone) => pb.filter('phone = {:phone}', { phone })).join(' || ')
    pb.collection<Contact>('contacts')
      .getFullList({ filter, fields: 'phone,name' })
      .then(
        (found) => {
          const named = new Map(found.map(({ phone, name }) => [phone, name]))
          if (!left)
            setNames(
              (old) => new Map([...old, ...asked.map((each) => [each, named.get(each) ?? ''] as const)]),
            )
        },
        () => {}, // numbers say enough
      )
    return () => {
      left = true
    }
  }, [question])
  return (number) => names.get(number) ?? ''
}
