import { Empty } from '../../parts/empty.tsx'
import { Page as Frame } from '../../parts/page.tsx'

/** Groups. */
export const Page = () => (
  <Frame title="Groups">
    <Empty icon="groups" title="No groups yet">
      A group is a list of contacts that get the same text.
    </Empty>
  </Frame>
)
