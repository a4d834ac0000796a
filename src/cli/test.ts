import { Command, InvalidArgumentError } from 'commander';
import { writeFileSync } from 'node:fs';
import { runCases, type CaseResult } from '../gateway/run-cases';
import { readWrittenRequest } from '../http/read-written-request';
import { loadCases } from '../mapping/cases';
import { checkFolder } from '../mapping/check';
import { formatProblem } from '../mapping/problem';
import { readConfig } from './read-config';
