/** Checks whether the mapping files can be used, and whether they are the set that the gateway uses. */
import { formatProblem } from '../../mapping/problem';
import { routesBehindV1 } from '../../start/listening';
import { checkFolderUnlessKnown } from '../known-set';
import { mend, note, well, type Check } from './finding';

const SHOWN_MAX = 3;

export const checkMappings: Check = ({ config, found }) => {
  const { mapping, problems } = checkFolderUnlessKnown(config.mappingsDir, config.dataDir);
  const errors = problems.filter(({ severity }) => severity === 'error');
  const shown = (given: typeof problems): string => given.slice(0, SHOWN_MAX).map(formatProblem).join('; ');
  if (mapping === undefined)
    return mend(
      `The mapping files in ${config.mappingsDir} cannot be used: ${shown(errors)}.`,
      'A running gateway keeps its last good set; a gateway that has none cannot start.',
      '`compat-gateway check` tells everything, `compat-gateway rollback` goes back.',
    );
  const hidden = routesBehindV1(mapping, config.v1Path);
  if (hidden !== undefined) return mend(hidden, 'The gateway does not use such a set.', 'Change V1_PATH, or the routes.');
  const used = found.kind === 'running' ? /^compat_mapping_info\{hash="(\w+)"\} 1/m.exec(found.metrics)?.[1] : undefined;
  return [
    problems.length === 0
      ? well(`The mapping files have no problems (${mapping.hash}).`)
      : note(
          `The mapping files have ${problems.length} warnings: ${shown(problems)}.`,
          'Each warning may cost a sale.',
          '`compat-gateway check` shows how to correct them.',
        ),
    ...(used === undefined || used === mapping.hash
      ? []
      : [
          note(
            `The gateway uses another set (${used}).`,
            'The mappings in the files are not in use.',
            '`compat-gateway plan`, then `apply` or `reload`.',
          ),
        ]),
  ];
};
