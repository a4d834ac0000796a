<?php
// A newer script for servers that reply in both formats: numbers like A, addresses without slash, a user agent of its HTTP
// library. A sale needs both words and its own id echoed; anything unclear is asked for by that id until it is clear.

declare(strict_types=1);
require __DIR__ . '/script.php';
[$address, $key, $service, $order] = settings();

const ASKED_AT_MOST = 12;

function call(string $method, string $path, ?array $fields = null): ?array
{
    global $address, $key;
    return json_decode(send("$address$path", [
        CURLOPT_TIMEOUT => 30,
        CURLOPT_CUSTOMREQUEST => $method,
        CURLOPT_USERAGENT => 'GuzzleHttp/7',
        CURLOPT_HTTPHEADER => ["Authorization: Bearer $key", 'Accept: application/json', 'Content-Type: application/json'],
    ] + ($fields === null ? [] : [CURLOPT_POSTFIELDS => json_encode($fields)])), true);
}

function conclusion(?array $reply, string $id): string
{
    $words = [$reply['status'] ?? '', $reply['Status'] ?? ''];
    if ($words === ['fail', 'failed']) {
        return 'refunded';
    }
    return $words === ['success', 'successful'] && $reply['request-id'] === $id ? 'delivered' : 'pending';
}

if ($service === 'lists') {
    tell('shown', 'Lists imported.', [
        'networks' => array_column(call('GET', '/api/get-networks?service=airtime'), 'network'),
        'plans' => count(call('GET', '/api/data_plans')),
        'gotv' => array_column(call('GET', '/api/get-cable-plan?cable=GOTV'), 'cable'),
        'discos' => array_column(call('GET', '/api/get-bill'), 'name', 'id'),
        'exams' => array_column(call('GET', '/api/get-exam'), 'name'),
    ]);
}

$id = "REQ_{$order['id']}|" . str_repeat('0', 8);
$fields = match ($service) {
    'airtime' => ['network' => $order['network'], 'phone' => $order['phone'], 'amount' => $order['amount'], 'type' => 'VTU'],
    'data' => ['network' => $order['network'], 'phone' => $order['phone'], 'plan' => $order['plan']],
    'exam' => ['exam' => $order['exam'], 'quantity' => $order['quantity']],
};
$first = $reply = call('POST', "/api/$service", [...$fields, 'request-id' => $id]);
$asked = 0;
while (conclusion($reply, $id) === 'pending' && $asked < ASKED_AT_MOST) {
    sleep(1);
    $asked += 1;
    $reply = call('GET', '/api/transaction/' . rawurlencode($id));
}
tell(conclusion($reply, $id), $reply['response'] ?? null, [
    'first' => conclusion($first, $id),
    'reference' => $reply['reference'] ?? null,
    'balance' => $reply['new_balance'] ?? null,
    'request_id' => $reply['request-id'] ?? null,
]);
