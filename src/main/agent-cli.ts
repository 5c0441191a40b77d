#!/usr/bin/env node
import { runMain } from 'citty'
import { agentCommand } from '../programs/agent/agent-command.ts'
import { makeStrictCommand } from './command-line.ts'

// the agent as a separate program, which servers offer for download as /agent.tgz
await runMain(makeStrictCommand(agentCommand, 'agent'))
