import { Empty } from '../../parts/empty.tsx'
import { Page as Frame } from '../../parts/page.tsx'

/** Conversations. */
export const Page = () => (
  <Frame title="Conversations">
    <Empty icon="conversations" title="No conversations yet">
      Texts that go out and come in stand here by number.
    </Empty>
  </Frame>
)
