'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const byId = (id) => document.getElementById(id);
  const columnWidth = 168, rowHeight = 30, margin = 10, nodeHeight = 24;
  const fates = {
    open: 'goes on', finished: 'finished', given_up: 'given up: nothing that it can become wins',
    crowded_out: 'crowded out: taken, but better ones fill the beam', passed_over: 'passed over: not among those taken',
  };
  const kept = new Set(['open', 'finished', 'given_up']);

  let sentence, nodes, children, rank, chosen, buttons, columns;

  const element = (name, text, style) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (style) made.className = style;
    return made;
  };
  const logarithm = (value) => (value === null ? '−∞' : value.toFixed(4).replace('-', '−'));
  const plain = (value) => {
    const p = value === null ? 0 : Math.exp(value);
    return p === 0 || p >= 0.001 ? p.toFixed(4) : p.toExponential(2).replace('-', '−');
  };
  const label = (node) => (node.parent < 0 ? 'begin' : node.piece.replaceAll('▁', '␣'));

  // The tokens from the root to a node.
  const pathTo = (i) => {
    const path = [];
    for (let at = i; at >= 0; at = nodes[at].parent) path.unshift(at);
    return path;
  };
  const textOf = (i) => pathTo(i).slice(1).map((at) => nodes[at].piece).join('').replaceAll('▁', ' ').trim();

  // The finished ones, as the search ranks them, and as it would without the length penalty.
  const ranked = (key) => nodes.map((_, i) => i).filter((i) => nodes[i].fate === 'finished')
    .sort((a, b) => nodes[b][key] - nodes[a][key] || a - b);

  function load(number) {
    sentence = data.sentences[number];
    nodes = sentence.nodes;
    children = nodes.map(() => []);
    nodes.forEach((node, i) => {
      if (node.parent >= 0) children[node.parent].push(i);
      node.depth = node.parent < 0 ? 0 : nodes[node.parent].depth + 1;
    });
    rank = new Map(ranked('score').map((i, place) => [i, place]));
    chosen = 0;
    drawRanking();
    drawTree();
    choose(rank.size > 0 ? [...rank.keys()][0] : 0, false);
    byId('frame').scrollTo(0, 0);  // where the search began
  }

  function drawRanking() {
    const table = byId('ranking');
    table.replaceChildren();
    if (rank.size === 0) {
      table.append(row('td', [[nodes.length > 1 ? 'Nothing was finished.' : 'Nothing was searched for.']]));
      return;
    }
    table.append(row('th', [['rank'], ['hypothesis'], ['score', 'number'], ['log P', 'number'], ['P', 'number'],
      ['tokens', 'number'], ['penalty', 'number'], ['rank without penalty', 'number'], ['']]));
    const likeliest = new Map(ranked('total').map((i, place) => [i, place]));
    for (const [i, place] of rank) {
      const node = nodes[i], other = likeliest.get(i);
      const line = row('td', [[place + 1, 'number'], [''],
        [logarithm(node.score), 'number'], [logarithm(node.total), 'number'], [plain(node.total), 'number'],
        [node.depth, 'number'], [node.penalty.toFixed(4), 'number'],
        [other + 1, other === place ? 'number' : 'number moved'],
        [place < sentence.translations.length ? 'returned' : '']]);
      const link = element('button', textOf(i));
      link.type = 'button';
      link.addEventListener('click', () => choose(i, true));
      line.children[1].append(link);
      table.append(line);
    }
  }

  function row(kind, cells) {
    const line = element('tr');
    for (const [text, style] of cells) line.append(element(kind, text, style));
    return line;
  }

  // Each step's column is filled by itself, in the order of what its nodes follow; a family stands beside its parent where
  // there is room. So the tree is about as high as the beam is wide, and no path crosses another.
  function drawTree() {
    const tree = byId('tree'), all = byId('dropped').checked;
    tree.replaceChildren();
    buttons = new Map();
    columns = [];
    const places = new Map([[0, 0]]);
    let lines = 1;
    const shown = (i) => children[i].filter((child) => all || kept.has(nodes[child].fate))
      .sort((a, b) => kept.has(nodes[b].fate) - kept.has(nodes[a].fate) || nodes[b].total - nodes[a].total);
    for (let column = [0]; column.length > 0;) {
      const next = [];
      let free = 0;
      for (const i of column) {
        const family = shown(i);
        let line = Math.max(free, Math.round(places.get(i) - (family.length - 1) / 2));
        for (const child of family) places.set(child, line++);
        if (family.length > 0) free = line;
        next.push(...family);
      }
      lines = Math.max(lines, free);
      column = next;
    }
    let deepest = 0;
    const place = (i) => [margin + nodes[i].depth * columnWidth, margin + places.get(i) * rowHeight];
    const picture = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    picture.setAttribute('aria-hidden', 'true');
    tree.append(picture);
    const paths = {left: [], kept: [], best: []};  // what matters more lies above
    const best = new Set(rank.size > 0 ? pathTo([...rank.keys()][0]) : []);
    for (const i of places.keys()) {
      const node = nodes[i], [x, y] = place(i);
      deepest = Math.max(deepest, node.depth);
      (columns[node.depth] ??= []).push(i);
      const returned = rank.has(i) && rank.get(i) < sentence.translations.length;
      const button = element('button', label(node), 'node ' + (returned ? 'returned' : node.fate));
      button.type = 'button';
      button.tabIndex = -1;
      button.style.left = x + 'px';
      button.style.top = y + 'px';
      button.setAttribute('role', 'treeitem');
      button.setAttribute('aria-level', node.depth + 1);
      button.setAttribute('aria-selected', 'false');
      if (node.parent >= 0) {
        button.append(element('small', plain(node.log_probability)));
        button.setAttribute('aria-label', `${label(node)}, probability ${plain(node.log_probability)}, ${fates[node.fate]}`);
        button.title = `${textOf(i)}\nP ${plain(node.log_probability)}, of the whole ${plain(node.total)}\n${fates[node.fate]}`;
        const [px, py] = place(node.parent), path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
        const from = [px + 60, py + nodeHeight / 2], to = [x, y + nodeHeight / 2], middle = (px + 150 + x) / 2;
        path.setAttribute('d', `M${from} H${px + 130} C${middle + 4},${from[1]} ${middle - 14},${to[1]} ${to}`);
        const style = best.has(i) ? 'best' : kept.has(node.fate) ? 'kept' : 'left';
        path.setAttribute('class', style);
        paths[style].push(path);
      }
      button.addEventListener('click', () => choose(i, true));
      buttons.set(i, button);
      tree.append(button);
    }
    picture.append(...paths.left, ...paths.kept, ...paths.best);
    columns.forEach((column) => column.sort((a, b) => places.get(a) - places.get(b)));
    const width = 2 * margin + deepest * columnWidth + 160, height = 2 * margin + lines * rowHeight;
    tree.style.width = width + 'px';
    tree.style.height = height + 'px';
    picture.setAttribute('width', width);
    picture.setAttribute('height', height);
  }

  function choose(i, focus) {
    buttons.get(chosen)?.setAttribute('aria-selected', 'false');
    if (buttons.has(chosen)) buttons.get(chosen).tabIndex = -1;
    if (!buttons.has(i)) {
      byId('dropped').checked = true;
      drawTree();
    }
    chosen = i;
    const button = buttons.get(i);
    button.setAttribute('aria-selected', 'true');
    button.tabIndex = 0;
    if (focus) button.focus();
    if (focus) {
      button.scrollIntoView({block: 'nearest', inline: 'nearest'});
    } else {  // the page stays where it is
      const frame = byId('frame');
      frame.scrollLeft = button.offsetLeft + button.offsetWidth + margin - frame.clientWidth;
      frame.scrollTop = button.offsetTop - frame.clientHeight / 2;
    }
    showFacts();
  }

  function showFacts() {
    const node = nodes[chosen], facts = byId('facts'), table = byId('next');
    byId('path').textContent = chosen === 0 ? 'The root: nothing is written yet.'
      : pathTo(chosen).slice(1).map((at) => label(nodes[at])).join(' · ');
    facts.replaceChildren();
    const add = (name, value) => facts.append(element('dt', name), element('dd', value));
    if (chosen > 0) {
      add('This token', `P ${plain(node.log_probability)}, log P ${logarithm(node.log_probability)}`);
      add('The hypothesis', `P ${plain(node.total)}, log P ${logarithm(node.total)}`);
      add('What became of it', fates[node.fate]);
    }
    if (node.fate === 'finished')
      add('Score', `${logarithm(node.total)} / ${node.penalty.toFixed(4)} = ${logarithm(node.score)}, ` +
        `rank ${rank.get(chosen) + 1} of ${rank.size}`);
    table.replaceChildren();
    byId('next-title').hidden = children[chosen].length === 0;
    if (children[chosen].length === 0) return;
    table.append(row('th', [['token'], ['P', 'number'], ['log P', 'number'], ['P of the whole', 'number'], ['what became of it']]));
    for (const child of children[chosen]) {
      const next = nodes[child];
      const line = row('td', [[''], [plain(next.log_probability), 'number'], [logarithm(next.log_probability), 'number'],
        [plain(next.total), 'number'], [fates[next.fate]]]);
      const link = element('button', label(next));
      link.type = 'button';
      link.addEventListener('click', () => choose(child, true));
      line.children[0].append(link);
      table.append(line);
    }
  }

  function toggleDropped() {
    const focused = byId('tree').contains(document.activeElement);
    drawTree();
    while (!buttons.has(chosen)) chosen = nodes[chosen].parent;
    choose(chosen, focused);
  }

  byId('tree').addEventListener('keydown', (event) => {
    const node = nodes[chosen], column = columns[node.depth], place = column.indexOf(chosen);
    const to = {
      ArrowLeft: () => (node.parent >= 0 ? node.parent : chosen),
      ArrowRight: () => children[chosen].find((child) => buttons.has(child)) ?? chosen,
      ArrowUp: () => column[Math.max(place - 1, 0)],
      ArrowDown: () => column[Math.min(place + 1, column.length - 1)],
      Home: () => 0,
      End: () => [...rank.keys()][0] ?? chosen,
    }[event.key];
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    choose(to(), true);
  });
  document.addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() !== 'd' || event.altKey || event.ctrlKey || event.metaKey ||
        event.target.tagName === 'SELECT') return;
    byId('dropped').checked = !byId('dropped').checked;
    toggleDropped();
  });
  byId('dropped').addEventListener('change', toggleDropped);

  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const isDark = () => (document.documentElement.dataset.ground ?? (dark.matches ? 'dark' : 'light')) === 'dark';
  const showGround = () => byId('ground').setAttribute('aria-pressed', String(isDark()));
  byId('ground').addEventListener('click', () => {
    document.documentElement.dataset.ground = isDark() ? 'light' : 'dark';
    showGround();
  });
  dark.addEventListener('change', showGround);
  showGround();

  const options = data.options;
  byId('conditions').textContent = `${data.model}: beam ${options.beam}, candidates ${options.candidates}, ` +
    `length penalty ${options.length_penalty}, alpha ${options.alpha}, ${options.nbest} best returned`;
  data.sentences.forEach((one, i) => {
    const choice = element('option', `${i + 1}: ${one.source}`);
    choice.value = i;
    byId('sentence').append(choice);
  });
  byId('sentence').addEventListener('change', (event) => load(Number(event.target.value)));
  if (data.sentences.length > 0) load(0);
})();
