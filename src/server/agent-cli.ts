#!/usr/bin/env node
import { runMain } from 'citty'
import { agentCommand } from '../agent/command.ts'
import { strict } from './command-line.ts'

// The agent as a program of its own: what a server hands out as /agent.tgz.
await runMain(strict(agentCommand, 'agent'))
