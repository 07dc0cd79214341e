// Orders the rows of a matrix of distances so that near ones stand together: average linkage.

/**
 * @param {(number | null)[][]} distances square; null where a distance is not known
 * @returns {number[]} the indices in the new order
 */
export function similarOrder(distances) {
  const between = bothWays(distances);
  let groups = distances.map((_, index) => [index]);
  const alive = groups.map((_, index) => index);
  while (alive.length > 1) {
    const [first, second] = nearestPair(between, alive);
    merge(between, groups, alive, first, second);
    groups[first] = groups[first].concat(groups[second]);
    alive.splice(alive.indexOf(second), 1);
  }
  return groups[alive[0]] ?? [];
}

// The mean of there and back. An unknown distance is larger than all others.
function bothWays(distances) {
  let most = 0;
  for (const row of distances)
    for (const value of row) most = Math.max(most, value ?? 0);
  const known = (row, column) => distances[row][column] ?? 2 * most;
  return distances.map(
      (row, index) => row.map((_, column) => (known(index, column) + known(column, index)) / 2));
}

function nearestPair(between, alive) {
  let best = [alive[0], alive[1]];
  for (let a = 0; a < alive.length; ++a)
    for (let b = a + 1; b < alive.length; ++b)
      if (between[alive[a]][alive[b]] < between[best[0]][best[1]]) best = [alive[a], alive[b]];
  return best;
}

// The distance to the merged group is the mean over its members.
function merge(between, groups, alive, first, second) {
  const [one, other] = [groups[first].length, groups[second].length];
  for (const each of alive) {
    if (each === first || each === second) continue;
    const mean = (one * between[first][each] + other * between[second][each]) / (one + other);
    between[first][each] = between[each][first] = mean;
  }
}
