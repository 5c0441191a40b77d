import type { FunctionComponent } from 'preact'
import { useMemo } from 'preact/hooks'

/**
 * A component that is drawn again only when one of its props, or a signal that it reads, changes. Callers
 * must give all props each time.
 */
export const memoizeComponent =
  <P extends object>(Content: FunctionComponent<P>): FunctionComponent<P> =>
  (props) =>
    useMemo(() => <Content {...props} />, Object.values(props))
