import { Empty } from '../../parts/empty.tsx'
import { Page as Frame } from '../../parts/page.tsx'

/** Users. */
export const Page = () => (
  <Frame title="Users">
    <Empty icon="users" title="No users yet">
      Create the first one.
    </Empty>
  </Frame>
)
